/** What travels between the MCP client, its rows and the tools made of it: listings, links, calls, faults. Rules: MC3, MC6, MC7, MC11–MC16. */
import type { JsonObject, JsonSchema, JsonValue } from "./json.ts";
import type { CancelSignal } from "./ports.ts";
import type { Result } from "./result.ts";

/** A tool as its server lists it; `name` is the server's own, `hash` the lower-case hex SHA-256 of all the rest (TS17). */
export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: JsonObject;
  readonly hash: string;
}

/** One that its server lists and that cannot be used, and why (TS19). */
export interface QuarantinedTool {
  readonly name: string;
  readonly reason: string;
}

export interface McpCatalogue {
  /** In listing order, one of each name. */
  readonly tools: readonly ListedTool[];
  readonly quarantined: readonly QuarantinedTool[];
}

/** What spares the next connection its handshake: of the stateless era what the server said of itself, of the other its session. */
export type McpLink =
  | { readonly era: "modern"; readonly discover: JsonObject }
  | { readonly era: "legacy"; readonly session?: { readonly id: string; readonly protocolVersion: string } };

export interface McpCallRequest {
  /** The server's own name for it. */
  readonly tool: string;
  readonly inputSchema: JsonSchema;
  readonly args: JsonObject;
}
export interface McpCallOptions {
  readonly signal: CancelSignal;
  readonly onProgress: (progress: JsonValue) => void;
}

/** A server's answer, unpacked to text (MC14). */
export interface McpAnswer {
  readonly text: string;
  readonly structured?: JsonValue;
  readonly isError: boolean;
}

/** Never rejects. */
export type CallMcpTool = (request: McpCallRequest, options: McpCallOptions) => Promise<Result<McpAnswer, McpFault>>;

/** Why there is no answer. After `lost` nobody knows whether the call took effect. */
export type McpFault =
  /** `class` is the egress guard's. */
  | { readonly kind: "egress"; readonly class: string }
  | { readonly kind: "secret"; readonly name: string }
  | { readonly kind: "connect" | "session" | "malformed" | "size" | "lost" }
  | { readonly kind: "unauthorized" | "http"; readonly status: number }
  | { readonly kind: "protocol"; readonly code: number; readonly message: string };
