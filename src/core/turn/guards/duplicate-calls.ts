/** Duplicate calls of one batch: the same question is asked once, the same work done once. Rules: CP14, CP15, CP18, CP19. */
import type { RuntimeProfile } from "../../../contracts/agent-profile.ts";
import type { JsonObject } from "../../../contracts/json.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { matchesAny } from "../../../policy/name-pattern.ts";
import { canonicalJson } from "../../../receipts/canonical-json.ts";

/** Key order never matters, array order does. `args` come without the approval marker. */
export const callSignature = (tool: string, args: JsonObject): string =>
  `${foldAscii(tool.trim())}\n${canonicalJson(args)}`;

export interface GuardedCall {
  readonly callId: string;
  readonly signature: string;
  readonly tool: Pick<Tool, "definition" | "reEntrant" | "repeatGuard">;
}

/** Signature and id of the first call that had it, in call order. */
type SeenCalls = readonly (readonly [signature: string, callId: string])[];

export interface DuplicateCallsState {
  readonly prompted: SeenCalls;
  readonly executable: SeenCalls;
}

export interface DuplicateCalls {
  /** For a call that needs a prompt: the id of the earlier one that it repeats, or `undefined` once it is noted itself. */
  enterPrompted(call: GuardedCall): string | undefined;
  /** The same for a call that is about to be dispatched; whatever settled before that never comes here (CP19). */
  enterExecutable(call: GuardedCall): string | undefined;
  state(): DuplicateCallsState;
}

export type DedupPolicy = Pick<RuntimeProfile, "dedupEnabled" | "toolCallDedupExempt">;

const NOTHING_SEEN: DuplicateCallsState = { prompted: [], executable: [] };

/** One per batch: the sets start empty in every iteration, and last over a suspension of theirs. */
export function createDuplicateCalls(policy: DedupPolicy, state: DuplicateCallsState = NOTHING_SEEN): DuplicateCalls {
  const prompted = new Map(state.prompted);
  const executable = new Map(state.executable);
  const isExempt = ({ definition }: GuardedCall["tool"]): boolean =>
    !policy.dedupEnabled || matchesAny(policy.toolCallDedupExempt, definition.name);
  return {
    enterPrompted(call) {
      const { tool } = call;
      return enter(prompted, call, tool.reEntrant || (isExempt(tool) && !tool.repeatGuard));
    },
    enterExecutable: (call) => enter(executable, call, call.tool.reEntrant || isExempt(call.tool)),
    state: () => ({ prompted: [...prompted], executable: [...executable] }),
  };
}

function enter(seen: Map<string, string>, { signature, callId }: GuardedCall, passes: boolean): string | undefined {
  const earlier = seen.get(signature);
  if (earlier === undefined) seen.set(signature, callId);
  return passes ? undefined : earlier;
}
