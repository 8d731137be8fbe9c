/** Closing summary: one last call without tools, when a frame may not go on. Rules: LC4–LC7, LC16, LC30, PV15, SE70. */
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import { buildProviderPayload } from "../history/build-provider-payload.ts";
import { chargeUsage, readModelStream } from "./model-stream.ts";
import { type EndedOutcome, cancelledHere, overBudget } from "./outcome.ts";
import { parseTextCalls } from "./parse/text/parse-text-calls.ts";
import { capLine, loopLine, protocolNotice, summaryRequest } from "./runtime-sentences.ts";
import { type ToolLoop, messageIdOf } from "./turn-context.ts";

/** Why a frame closes with a summary, and nothing after it. */
export type Closing =
  | { readonly kind: "capped"; readonly reason: "max_tool_iterations" | "shared_budget" }
  | { readonly kind: "stopped"; readonly reason: "loop_detected" };

export async function closeWithSummary(loop: ToolLoop, closing: Closing): Promise<EndedOutcome> {
  const empty = { ...closing, text: "", entries: [] };
  if (closing.kind === "capped" && loop.execution.knobs.maxIterationBehavior === "error") return empty;
  const summary = await askForSummary(loop);
  if (loop.cancel.aborted) return cancelledHere;
  if (summary === "over_budget") return overBudget;
  if (summary === undefined) return empty;
  const { turn } = loop.identity;
  // The closing line is for the reader; history keeps what the model said.
  const line = closing.kind === "capped" ? capLine(loop.iteration) : loopLine;
  const text = `${summary.text}\n\n${line}`;
  const redactor = loop.execution.redactor.deltas();
  const shown = redactor.push(text) + redactor.end();
  return {
    ...closing,
    text,
    entries: [
      { kind: "note", turn, text: summaryRequest },
      { kind: "assistant", turn, text: summary.text, calls: [] },
    ],
    // Together with the end itself: whoever takes the turn up in between would say all of it again.
    events: [{ type: "text_delta", text: shown, messageId: messageIdOf(loop, "summary") }, summary.usage],
  };
}

interface Summary {
  readonly text: string;
  readonly usage: Extract<TurnEventBody, { type: "usage" }>;
}

/** A summary that fails is no summary: the turn is capped all the same, and the tokens are charged (LC6). */
async function askForSummary(loop: ToolLoop): Promise<Summary | "over_budget" | undefined> {
  const note = { kind: "note", turn: loop.identity.turn, text: summaryRequest } as const;
  const request = {
    ...buildProviderPayload(loop, [...loop.history, note], { mode: "none", specs: [] }),
    stream: false,
  };
  let text = "";
  const { end, overBudget: refused } = await readModelStream(loop, request, (part) => {
    if (part.type === "text") text += part.text;
  });
  if (refused) return "over_budget";
  if (end?.type !== "finish") return undefined;
  const usage = chargeUsage(loop, end.usage);
  const summary = readable(text.toWellFormed());
  return summary === "" ? undefined : { text: summary, usage: { type: "usage", finishReason: end.reason, ...usage } };
}

/** Cleaned like a final text; what looks like tool protocol is for nobody's eyes (LC5). */
function readable(text: string): string {
  const read = parseTextCalls(text, { knownNames: [], strict: false });
  return read.issue === undefined ? read.visibleText.trim() : protocolNotice;
}
