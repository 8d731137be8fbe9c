/** What the runtime itself tells the model about a call that has no result of its own. Rules: dispositions of `lifecycle.md`, BD2, DU10, AP16. */
import type { Fault } from "../../contracts/json.ts";

const QUOTED_CHARS = 160;
const MOST_PATHS = 5;

/** Text quoted inside a sentence is cut, so that the sentence stays under 512 code points. */
function quote(text: string): string {
  const points = [...text];
  return points.length <= QUOTED_CHARS ? text : `${points.slice(0, QUOTED_CHARS).join("")}…`;
}

const quoteFault = ({ path, message }: Fault): string =>
  `${path === "" ? "arguments" : [...path].slice(0, 40).join("")}: ${[...message].slice(0, 40).join("")}`;

export const NOT_RUN = "This call was not run.";
export const OUTCOME_UNKNOWN =
  "This call was started and its outcome is not known. It may or may not have taken effect; check before retrying.";

export const unknownTool = (tool: string, suggestions: readonly string[]): string =>
  `There is no tool named "${quote(tool)}".${
    suggestions.length === 0 ? "" : ` Did you mean ${suggestions.map((name) => quote(name).slice(0, 80)).join(", ")}?`
  } The call was not run.`;

export const notAvailable = (tool: string): string =>
  `The tool "${quote(tool)}" is not available in this turn. The call was not run.`;

export const invalidArguments = (faults: readonly Fault[]): string =>
  `The arguments were not accepted, so the call was not run. ${faults.slice(0, MOST_PATHS).map(quoteFault).join("; ")}`;

export const truncatedCall =
  "The response reached its token limit and this call arrived cut off, so it was not run. Ask again with something smaller.";

export const duplicateOf = (callId: string): string =>
  `This repeats call ${callId} of the same batch, whose result stands. It was not run a second time.`;

export const tooManyCalls = (limit: number): string =>
  `At most ${limit} calls are accepted here; this one is over the limit and was refused. An identical call would be refused again.`;

export const noApprover =
  "This call needs an approval and no approver could be reached. No person decided about it; it was not run.";

export const deniedByPolicy =
  "This call needs an approval that cannot be given in this run, so a rule denied it. No person decided; it was not run.";

export const timedOut = (tool: string, seconds: number): string =>
  `"${quote(tool)}" did not finish within ${seconds} seconds. Its effect may or may not have happened; check before retrying.`;

export const textWasCut = "[This message was cut off before it was complete.]";
export const turnWasInterrupted = "[The turn was interrupted here.]";

export const summaryRequest =
  "You have used every step this turn allows and no tools are available any more. Give your best answer so far: what was found or done, and what remains to be done.";

export const capLine = (iterations: number): string =>
  `(Stopped after ${iterations} ${iterations === 1 ? "iteration" : "iterations"}, the most this turn allows.)`;
