/** ResolvedAgentExecution: the one frozen bundle a turn starts from; it holds nothing of a single message. Rules: RX1, RX3, RX4. */
import type { AgentProfile, RiskProfile, RuntimeProfile } from "../../contracts/agent-profile.ts";
import type { ToolHook } from "../../contracts/config/tool-hook.ts";
import type { ModelProvider } from "../../contracts/model.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { Observer } from "../../contracts/observer.ts";
import type { CancelSignal, SystemPorts } from "../../contracts/ports.ts";
import type { ReceiptBody, SignedReceipt } from "../../contracts/receipt.ts";
import type { ResultRange, ResultSlice, SearchableTools, ToolContext, ToolRegistry } from "../../contracts/tool.ts";
import type { TurnNarrowing } from "../../contracts/turn.ts";
import { type RuntimeKnobs, resolveRuntimeKnobs } from "./runtime-knobs.ts";

/** US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly cachedInput: number;
  readonly output: number;
}

export interface ModelBinding {
  readonly provider: ModelProvider;
  readonly model: string;
  readonly price: ModelPrice;
}

/** Signs for the turn's scope; the key never leaves it. */
export type SignReceipt = (body: Omit<ReceiptBody, "v" | "kid">) => SignedReceipt;

/** Whether the token signs the body under the turn's scope, with a key that the deployment still holds. */
export type IsGenuine = (receipt: SignedReceipt) => boolean;

/** What a tool context is made for. */
export interface ToolContextOf {
  readonly callId: string;
  readonly secrets: readonly string[];
  /** For the one tool that may read what other calls came to (TC10, BD9): those of its own frame, of the turn's own all of the conversation. */
  readonly readResult?: (range: ResultRange) => ResultSlice | undefined;
  /** For the one tool that may search for others. */
  readonly searchable?: SearchableTools;
  readonly signal: CancelSignal;
  readonly idempotencyKey?: string;
}

/** Takes credentials out of what people read. */
export interface Redactor {
  readonly text: (text: string) => string;
  readonly value: (value: JsonValue) => JsonValue;
  /** One per streamed message. */
  readonly deltas: () => DeltaRedactor;
}
export interface DeltaRedactor {
  /** What may be shown by now. */
  readonly push: (text: string) => string;
  /** The rest. */
  readonly end: () => string;
}

/** Whom a frame may delegate to. */
export interface Delegates {
  /** Aliases in the order of the configuration. */
  readonly reachable: readonly string[];
  /** What the agent's frame works with below this one: its own model and knobs, and what both may do (RX13). Absent when out of reach. */
  resolve(agent: string): ResolvedAgentExecution | undefined;
}

export interface ResolvedAgentExecution {
  readonly agent: AgentProfile;
  readonly risk: RiskProfile;
  readonly knobs: RuntimeKnobs;
  readonly model: ModelBinding;
  readonly registry: ToolRegistry;
  /** Entries of one ActivatedToolSet (DM10). */
  readonly maxActivatedTools: number;
  /** Absent when the agent may delegate to nobody from here (RX14). */
  readonly delegates?: Delegates;
  /** Absent when the agent's receipts are off. */
  readonly signReceipt?: SignReceipt;
  /** Of the turn's own frame, likewise. */
  readonly isGenuine?: IsGenuine;
  readonly createToolContext: (of: ToolContextOf) => ToolContext;
  /** In configuration order; each says for which agents it is. */
  readonly hooks: readonly ToolHook[];
  /** Absent when nobody watches; then nothing is put together for it either. */
  readonly observe?: Observer;
  /** For what people read; never for the model, the store or a digest (RE20). */
  readonly redactor: Redactor;
  readonly deltaFlushMs: number;
  readonly ports: SystemPorts;
}

export interface ExecutionParts extends Omit<ResolvedAgentExecution, "knobs"> {
  readonly runtime: RuntimeProfile;
  readonly narrowing: TurnNarrowing;
}

/** Every entry comes through here, so that all of them run under the same defaults. */
export function resolveAgentExecution(parts: ExecutionParts): ResolvedAgentExecution {
  const { runtime, narrowing, ...rest } = parts;
  return Object.freeze({ ...rest, knobs: resolveRuntimeKnobs(runtime, narrowing) });
}
