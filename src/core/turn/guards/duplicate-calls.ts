/** Duplicate calls of one batch: the same question is asked once, the same work done once. Rules: CP14, CP15, CP18, CP19. */
import type { RuntimeProfile } from "../../../contracts/agent-profile.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { matchesAny } from "../../../policy/name-pattern.ts";

/** Equal for equal calls. The arguments come in canonical form, without the approval marker. */
export const callSignature = (tool: string, canonicalArgs: string): string =>
  `${foldAscii(tool.trim())}\n${canonicalArgs}`;

export interface GuardedCall {
  readonly callId: string;
  readonly signature: string;
  readonly tool: Pick<Tool, "definition" | "reEntrant" | "repeatGuard">;
}

export interface DuplicateCalls {
  /** For a call that needs a prompt: the id of the earlier one that it repeats, or `undefined` once it is noted itself. */
  enterPrompted(call: GuardedCall): string | undefined;
  /** The same for a call that is about to be dispatched; whatever settled before that never comes here (CP19). */
  enterExecutable(call: GuardedCall): string | undefined;
}

export type DedupPolicy = Pick<RuntimeProfile, "dedupEnabled" | "toolCallDedupExempt">;

/** One per batch and step: a batch is judged once, and released once, whatever lies between. */
export function createDuplicateCalls(policy: DedupPolicy): DuplicateCalls {
  const prompted: SeenCalls = new Map();
  const executable: SeenCalls = new Map();
  const isExempt = ({ definition }: GuardedCall["tool"]): boolean =>
    !policy.dedupEnabled || matchesAny(policy.toolCallDedupExempt, definition.name);
  return {
    enterPrompted(call) {
      const { tool } = call;
      return enter(prompted, call, tool.reEntrant || (isExempt(tool) && !tool.repeatGuard));
    },
    enterExecutable: (call) => enter(executable, call, call.tool.reEntrant || isExempt(call.tool)),
  };
}

/** By signature: id of the first call that had it. */
type SeenCalls = Map<string, string>;

function enter(seen: SeenCalls, { signature, callId }: GuardedCall, passes: boolean): string | undefined {
  const earlier = seen.get(signature);
  if (earlier === undefined) seen.set(signature, callId);
  return passes ? undefined : earlier;
}
