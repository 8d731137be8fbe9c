/** A tool call: its dispositions, and what is stored of it. Rules: RD8, PA15, PA16, CP20, CP21. */
import type { JsonObject, JsonValue } from "./json.ts";
import type { SignedReceipt } from "./receipt.ts";
import type { ToolOrigin } from "./tool.ts";

/** Each call ends in exactly one of these; `lifecycle.md` has the table. */
export const dispositions = [
  "succeeded",
  "failed",
  "timed_out",
  "outcome_unknown",
  "interrupted",
  "cancelled",
  "client_result",
  "replaced",
  "denied",
  "expired",
  "unavailable",
  "hook_cancelled",
  "duplicate",
  "refused",
  "invalid_arguments",
  "truncated_call",
  "unknown_tool",
  "not_available",
] as const;
export type Disposition = (typeof dispositions)[number];

export type CallOrigin = "native" | "text" | "provider";
export type CallState = "proposed" | "awaiting_approval" | "ready" | "started" | "settled";

/** A call as the model made it, with its ids fixed (PA15, PA16). `args` is absent when the text was no JSON object. */
export interface ModelCall {
  readonly callId: string;
  /** Place in the batch, from 0. */
  readonly index: number;
  readonly providerCallId?: string;
  readonly wireId: string;
  /** Real name as asked for, mapped back from the provider's (PA17). */
  readonly tool: string;
  readonly argumentsText: string;
  readonly args?: JsonObject;
  readonly origin: CallOrigin;
  readonly providerMetadata?: JsonObject;
}

/** A file that a tool delivered (EX12). */
export interface Artifact {
  readonly path: string;
  readonly uri?: string;
  readonly filename?: string;
  readonly title?: string;
  readonly mime?: string;
  readonly size: number;
}

/** What a settled call is known by, without its raw result (RD8). */
export interface CallOutcome {
  readonly disposition: Disposition;
  readonly success: boolean;
  /** Bounded text, without the receipt line. */
  readonly shown: string;
  /** Code points before bounding. */
  readonly chars: number;
  readonly truncated: boolean;
  readonly durationMs: number;
  readonly receipt?: SignedReceipt;
  readonly data?: JsonValue;
  readonly outputSchemaMismatch?: true;
}

/** The raw result of a call that ran, as it is stored (BD8): at most `max_stored_result_bytes`, else a prefix. */
export interface StoredResult {
  readonly bytes: Uint8Array;
  readonly complete: boolean;
  /** Code points and SHA-256 (hex) of the whole raw text, also when only a prefix is stored. */
  readonly chars: number;
  readonly digest: string;
}

/** A call that was prepared and judged, as its row holds it from then on (CP20). */
export interface PreparedRow {
  readonly call: ModelCall;
  /** Real name of the tool that the call resolved to. */
  readonly tool: string;
  readonly definitionHash: string;
  readonly args: JsonObject;
  readonly argsDigest: string;
  /** What CP17 needs to know when the call is released. */
  readonly requirement: "approved" | "not_required" | "prompt";
  readonly approvalId?: string;
}

/** What the loop guards know a call by (LC10). */
export interface LoopCall {
  /** As dispatched. */
  readonly tool: string;
  /** Digest of the model's arguments, without the approval marker. */
  readonly argsDigest: string;
}

/** A call of an open batch, read back from its row. */
export interface StoredBatchCall {
  readonly call: ModelCall;
  readonly state: CallState;
  /** Absent before preparation was stored, and for calls settled without it. */
  readonly prepared?: PreparedRow;
  /** Instead, when the loop detector kept it from running (LC11). */
  readonly blocked?: LoopCall;
  /** A client was asked to run it. */
  readonly offered: boolean;
  /** Epoch milliseconds. */
  readonly startedAt?: number;
  readonly idempotencyKey?: string;
  /** Present exactly when the call is settled. */
  readonly outcome?: CallOutcome;
  /** Digest of its raw result, when it has one: it ran, here or with the client. */
  readonly resultDigest?: string;
}

/** What `tool_call` says besides the call itself. */
export interface CallAnnouncement {
  readonly tool: string;
  readonly toolOrigin: ToolOrigin | null;
  readonly args: JsonValue;
}
