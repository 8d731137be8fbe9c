/** Repeated prompts: what nobody allowed is not asked for again in the same turn. Rules: CP16, RX8. */
import type { Disposition } from "../../../contracts/call.ts";
import type { Tool } from "../../../contracts/tool.ts";

/** Signatures, in the order in which they were turned down. */
export type RepeatedPromptState = readonly string[];

export interface RepeatedPrompt {
  /** For every call that needed a prompt, once it is settled or about to run. */
  record(signature: string, disposition: Disposition): void;
  /** For a call that needs a prompt: true ends the frame (LC20). No exemption from deduplication lifts it. */
  refuses(signature: string, tool: Pick<Tool, "repeatGuard">): boolean;
  state(): RepeatedPromptState;
}

const TURNED_DOWN: ReadonlySet<Disposition> = new Set(["denied", "expired", "unavailable"]);

/** One per turn, over all of its frames. */
export function createRepeatedPrompt(state: RepeatedPromptState = []): RepeatedPrompt {
  const turnedDown = new Set(state);
  return {
    record(signature, disposition) {
      if (TURNED_DOWN.has(disposition)) turnedDown.add(signature);
    },
    refuses: (signature, { repeatGuard }) => repeatGuard && turnedDown.has(signature),
    state: () => [...turnedDown],
  };
}
