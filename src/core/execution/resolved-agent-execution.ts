/** ResolvedAgentExecution: the one frozen bundle a turn starts from; it holds nothing of a single message. Rules: RX1, RX3, RX4. */
import type { AgentProfile, RiskProfile, RuntimeProfile } from "../../contracts/agent-profile.ts";
import type { ToolHook } from "../../contracts/config/tool-hook.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { Observer } from "../../contracts/observer.ts";
import type { ApproverChannels, CancelSignal, CostMeter, SystemPorts } from "../../contracts/ports.ts";
import type { ReceiptBody, SignedReceipt } from "../../contracts/receipt.ts";
import type {
  ResultRange,
  ResultSlice,
  SearchableTools,
  SwitchableModels,
  Tool,
  ToolContext,
  ToolMemory,
  ToolRegistry,
} from "../../contracts/tool.ts";
import type { ToolProgress } from "../../contracts/turn-event.ts";
import type { TurnNarrowing } from "../../contracts/turn.ts";
import type { ModelBinding } from "./model-binding.ts";
import { type RuntimeKnobs, resolveRuntimeKnobs } from "./runtime-knobs.ts";

/** Signs for the turn's scope; the key never leaves it. */
export type SignReceipt = (body: Omit<ReceiptBody, "v" | "kid">) => SignedReceipt;

/** Whether the token signs the body under the turn's scope, with a key that the deployment still holds. */
export type IsGenuine = (receipt: SignedReceipt) => boolean;

/** Where running calls show how they get on; only the newest of each counts. */
export interface ProgressBoard {
  show(progress: ToolProgress): void;
  /** The call has settled. */
  clear(callId: string): void;
}

/** What a tool context is made for. */
export interface ToolContextOf {
  readonly callId: string;
  readonly progress: ToolContext["progress"];
  readonly secrets: readonly string[];
  /** For the one tool that may read what other calls came to (TC10, BD9): those of its own frame, of the turn's own all of the conversation. */
  readonly readResult?: (range: ResultRange) => ResultSlice | undefined;
  /** For the one tool that may search for others. */
  readonly searchable?: SearchableTools;
  /** For those that remember, the memory of the frame's agent. */
  readonly memory?: ToolMemory;
  /** For the one that may change the frame's model. */
  readonly models?: SwitchableModels;
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

/** What a delegate's frame has of its own, model and knobs aside, is cut down to what its caller has (RX13). */
export type DelegateBounds = Pick<ResolvedAgentExecution, "risk" | "registry">;

/** Whom a frame may delegate to. */
export interface Delegates {
  /** Also when nobody can be reached and it is not granted: a call that was begun before names it (RX7). */
  tool(): Tool;
  /** Aliases in the order of the configuration. */
  readonly reachable: readonly string[];
  /** For one that is reachable. `caller`: what its frame has and may do, as it is pinned to it. */
  resolve(agent: string, caller: DelegateBounds): ResolvedAgentExecution;
}

export interface ResolvedAgentExecution {
  readonly agent: AgentProfile;
  readonly risk: RiskProfile;
  readonly knobs: RuntimeKnobs;
  /** What a frame begins with. */
  readonly model: ModelBinding;
  /** Of `provider/model`. One that is not configured is bound to a provider whose every call fails. */
  readonly bindModel: (name: string) => ModelBinding;
  /** Absent when what the agent costs is not metered. */
  readonly meter?: CostMeter;
  readonly registry: ToolRegistry;
  /** Entries of one ActivatedToolSet (DM10). */
  readonly maxActivatedTools: number;
  readonly delegates: Delegates;
  readonly approvers: ApproverChannels;
  /** Absent when the agent's receipts are off. */
  readonly signReceipt?: SignReceipt;
  /** Of the turn's own frame, likewise. */
  readonly isGenuine?: IsGenuine;
  readonly createToolContext: (of: ToolContextOf) => ToolContext;
  readonly progress: ProgressBoard;
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
