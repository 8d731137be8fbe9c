/** What the runtime itself tells the model about a call that has no result of its own. Rules: dispositions of `lifecycle.md`, BD2, DU10, AP16, SE56, SE62. */
import type { Fault } from "../../contracts/json.ts";
import { cutCodePoints } from "../../policy/cut-text.ts";
import { makeInert } from "../../policy/inert.ts";

const QUOTED_CHARS = 160;
const MOST_PATHS = 5;

/** Text quoted inside a sentence is made inert, then cut, so that the sentence stays under 512 code points. */
const quote = (text: string): string => cutCodePoints(makeInert(text), QUOTED_CHARS, "…");

const quoteFault = ({ path, message }: Fault): string =>
  `${path === "" ? "arguments" : cutCodePoints(makeInert(path), 40)}: ${cutCodePoints(makeInert(message), 40)}`;

export const NOT_RUN = "This call was not run.";
export const OUTCOME_UNKNOWN =
  "This call was started and its outcome is not known. It may or may not have taken effect; check before retrying.";

export const unknownTool = (tool: string, suggestions: readonly string[]): string =>
  `There is no tool named "${quote(tool)}".${
    suggestions.length === 0
      ? ""
      : ` Did you mean ${suggestions.map((name) => cutCodePoints(makeInert(name), 80)).join(", ")}?`
  } The call was not run.`;

export const notAvailable = (tool: string): string =>
  `The tool "${quote(tool)}" is not available in this turn. The call was not run.`;

export const notLoaded = (tool: string): string =>
  `The tool "${quote(tool)}" is not loaded, so the call was not run. Load it with tool_search first.`;

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

export const approvalDoesNotFit =
  "The tool or the arguments changed after this call was approved, so the approval no longer fits and the call was refused. No approval stands for it; an identical call would be refused again.";

export const hookCancelled = (reason: string): string => `A hook stopped this call: ${quote(reason)} It was not run.`;

export const deniedByPerson = (note: string | undefined): string =>
  note === undefined || note === ""
    ? "A person decided against this call. It was not run."
    : `A person decided against this call and said: ${quote(note)} It was not run.`;

export const approvalExpired = "Nobody answered in time about this call. No person decided; it was not run.";
export const cancelledWhileAsking = "The turn was cancelled while this call waited for approval. It was not run.";

/** The operator's words are a result: they follow, bounded like one. */
export const replacedBy = (text: string): string =>
  `An operator supplied the following in place of running the tool, which was not run:

${text}`;

export const clientTimedOut = (seconds: number): string =>
  `The client did not answer within ${seconds} seconds. Whether it ran the call is not known; check before retrying.`;

export const malformedApology =
  "I could not put my next step into a form that can be carried out, so I stopped here. Please try again.";
export const malformedNote =
  "[Tool call parse error] The last reply held a tool call that could not be read. Call tools with their schema, or answer in plain words.";
export const protocolNotice = "I have reached the limit of this turn before I could finish.";

export const loopLine = "(Stopped because the same steps kept repeating.)";

export const noDelegate = (agent: string, reachable: readonly string[]): string =>
  reachable.length === 0
    ? `"${quote(agent)}" cannot be delegated to: no agent can be reached from here.`
    : `"${quote(agent)}" cannot be delegated to. Agents that can: ${reachable.join(", ")}.`;

/** With whatever text it left, as a result: the whole is bounded. */
export const delegateFailed = (reason: string, text: string): string =>
  text.trim() === ""
    ? `The agent ended without an answer: ${reason}.`
    : `The agent ended without a full answer: ${reason}. It left this:\n\n${text}`;

/** What looks like a label inside the block is broken up, so that nothing in it ends it. */
export const delegateContext = (context: string): string =>
  `[Context]\n${context.replace(/\[(?=\s*(?:end\s+of\s+)?context\s*\])/giu, "[\\")}\n[End of context]`;

export const textWasCut = "[This message was cut off before it was complete.]";
export const turnWasInterrupted = "[The turn was interrupted here.]";

export const summaryRequest =
  "You have used every step this turn allows and no tools are available any more. Give your best answer so far: what was found or done, and what remains to be done.";

export const capLine = (iterations: number): string =>
  `(Stopped after ${iterations} ${iterations === 1 ? "iteration" : "iterations"}, the most this turn allows.)`;
