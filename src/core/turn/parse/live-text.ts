/** createLiveText: the stages that text passes on its way from the model to a reader. Rules: TP65, TP71, TP74, PV5. */
import { createMarkerStripper } from "./marker-stripper.ts";
import { createOpenerJoiner } from "./opener-joiner.ts";
import { type StreamGuard, createStreamGuard } from "./stream-guard.ts";
import { createThinkStripper } from "./think-stripper.ts";

export interface LiveTextSettings {
  /** The names offered in this iteration. */
  readonly knownNames: Iterable<string>;
  /** `strict_tool_parsing`: no text is protocol, so nothing is withheld. */
  readonly strict: boolean;
}

/** One per model call. Chunks must be well-formed. */
export function createLiveText({ knownNames, strict }: LiveTextSettings): StreamGuard {
  const stages = [createThinkStripper(), createMarkerStripper(), ...(strict ? [] : [createOpenerJoiner()])];
  const guard = strict ? passAll() : createStreamGuard(knownNames);
  const pushFrom = (first: number, text: string): string =>
    guard.push(stages.slice(first).reduce((rest, stage) => stage.push(rest), text));
  return {
    push: (chunk) => pushFrom(0, chunk),
    end() {
      // What a stage gives at its end still has to pass the stages behind it.
      const rest = stages.map((stage, index) => pushFrom(index + 1, stage.end())).join("");
      const { text, withheld } = guard.end();
      return { text: rest + text, withheld };
    },
  };
}

const passAll = (): StreamGuard => ({ push: (chunk) => chunk, end: () => ({ text: "", withheld: false }) });
