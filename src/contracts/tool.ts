/** The tool contract: what a tool declares, what it is given, what it returns. Rules: TC1, TC7, TC10, TS10, TS17. */
import type { Fault, JsonObject, JsonSchema, JsonValue } from "./json.ts";
import type { CancelSignal } from "./ports.ts";
import type { Result } from "./result.ts";

export type ToolOrigin = "builtin" | "code" | "http" | "service" | "client" | "mcp" | "delegate";
export type Risk = "low" | "medium" | "high";
/** Whose code runs: ours (or code that its author vouches for), or somebody else's (TC4). */
export type Provenance = "native" | "extension";

/**
 * What a tool returns. Only `output` and `error` reach the model; `data` (JSON, at most 1 MiB) is kept beside the result (TC8).
 * `outcomeUnknown`: the request may have been taken and no answer came; heard from tools of MCP servers (EX10).
 */
export type ToolResult =
  | { readonly success: true; readonly output: string; readonly data?: JsonValue }
  | {
      readonly success: false;
      readonly error: string;
      readonly output?: string;
      readonly data?: JsonValue;
      readonly outcomeUnknown?: true;
    };

/** What the definition hash is taken over (TS17). `name` is the real name. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly annotations?: JsonObject;
}

/** What a tool may ask of a request: the guarded fetch of TC11, bound to the call's signal. */
export interface ToolFetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bytes of the answer's body, where it is to have fewer than `egress.max_fetch_bytes`. */
  readonly maxBytes?: number;
  /** Lower-case names of headers that come from configuration: they never leave the origin they were meant for. */
  readonly configuredHeaders?: ReadonlySet<string>;
}
/** The answer, read whole and bounded by `egress.max_fetch_bytes`; `url` is the one that finally answered. */
export interface ToolFetchAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly url: string;
  readonly headers: ReadonlyMap<string, string>;
  text(): Promise<string>;
  json(): Promise<unknown>;
  bytes(): Promise<Uint8Array>;
}
/** Rejects with an `EgressRefusal` when the guard refuses, with an `Error` when the network fails. */
export type ToolFetch = (url: string, init?: ToolFetchInit) => Promise<ToolFetchAnswer>;

/** Everything `execute` gets besides its arguments, and nothing of the loop (TC10); the last four are for built-ins alone. */
export interface ToolContext {
  readonly signal: CancelSignal;
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: string;
  readonly callId: string;
  readonly agent: string;
  readonly subject: string;
  /** Present for idempotent tools: the same on every attempt of this call (TC13). */
  readonly idempotencyKey?: string;
  readonly fetch: ToolFetch;
  /** Epoch milliseconds. */
  now(): number;
  /** Ephemeral progress for whoever watches; JSON of at most 16 KiB, thinned to one per 200 ms (TC12). */
  readonly progress: (data: JsonValue) => void;
  /** The value of a secret the tool declared; throws for any other name. */
  secret(name: string): string;
  log(level: "debug" | "info" | "warn" | "error", code: string, fields?: JsonObject): void;
  /** A range, in code points, of a stored raw result of this conversation; `undefined` if there is none (BD9). */
  readResult?(range: ResultRange): ResultSlice | undefined;
  /** What `tool_search` searches. */
  readonly searchable?: SearchableTools;
  /** What `memory_store` and `memory_recall` work on. */
  readonly memory?: ToolMemory;
  /** What `model_switch` may choose from. */
  readonly models?: SwitchableModels;
}
/** The memory of one agent in one conversation (TC33). */
export interface ToolMemory {
  /** Oldest first. */
  list(): readonly MemoryEntry[];
  /** Throws when the turn was taken over. */
  store(entry: MemoryEntry): { readonly replaced: boolean };
}
export interface MemoryEntry {
  readonly content: string;
  /** Another entry of this key replaces it. */
  readonly key?: string;
  readonly category?: string;
}
/** Models as `provider/model` (TC34). */
export interface SwitchableModels {
  readonly current: string;
  readonly allowed: readonly string[];
}
/** The stubs that this turn may find, policy and visibility applied already (TS13). */
export interface SearchableTools {
  /** In registry order, those that are active included. */
  readonly stubs: readonly Tool[];
  /** Real names. */
  readonly active: ReadonlySet<string>;
  /** How many more may become active. */
  readonly room: number;
  /** Of its arguments, as the provider in use is sent it (DM6). */
  schemaOf(tool: Tool): JsonSchema;
}
export interface ResultRange {
  readonly callId: string;
  /** Code points. */
  readonly offset: number;
  readonly length: number;
}
export interface ResultSlice {
  readonly tool: string;
  readonly text: string;
  /** Code points of the whole stored result. */
  readonly total: number;
}

/**
 * One tool as the runtime knows it: a frozen value with its flags resolved (TC1).
 * `checkArguments` judges JSON arguments against the tool's own schema and hands `execute` its parsed form;
 * what is approved, digested and recorded is always the JSON before that.
 */
export interface Tool {
  readonly definition: ToolDefinition;
  /** Lower-case hex SHA-256 of the definition (TS17). */
  readonly definitionHash: string;
  readonly origin: ToolOrigin;
  readonly provenance: Provenance;
  readonly risk: Risk;
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly repeatGuard: boolean;
  readonly reEntrant: boolean;
  readonly approvalMarker: boolean;
  readonly client: boolean;
  /** Seconds, 1–600; absent: the runtime profile's. */
  readonly timeoutSecs?: number;
  readonly secrets: readonly string[];
  readonly needsApproval?: (args: JsonObject) => boolean | Promise<boolean>;
  checkArguments(args: JsonObject): Result<unknown, readonly Fault[]>;
  /** Whether a success's data has the shape that the definition promises; absent when it promises none (TC9). */
  fitsOutput?(data: JsonValue): boolean;
  execute(args: unknown, context: ToolContext): Promise<unknown>;
}

/** What a name means for this agent and run: a loaded tool, a stub, or why there is neither (RG11). */
export type ToolResolution =
  | { readonly kind: "granted" | "stub"; readonly tool: Tool }
  | { readonly kind: "not_available" }
  | { readonly kind: "unknown" };

/** What an agent is granted for one turn, and the one way from a name to a tool (RG12). */
export interface ToolRegistry {
  /** Loaded from the start, in registry order. */
  readonly visible: readonly Tool[];
  /** Granted, with their whole definition, and not offered before they are activated (TS10). In registry order. */
  readonly stubs: readonly Tool[];
  /** By exact name. */
  resolve(name: string): ToolResolution;
  /** True for a name that the profile or the run excludes, whether it is a tool's or leads to one (TS4). */
  excludes(name: string): boolean;
}

/** A tool as one provider request names it (SC4); `name` is the provider name, mapped back to `tool`. */
export interface ToolSpec {
  readonly name: string;
  readonly tool: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
