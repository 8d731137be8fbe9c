/** Closing summary: one last call without tools, when the iterations are used up. Rules: LC4–LC7, PV15. */
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import { buildProviderPayload } from "../history/build-provider-payload.ts";
import { chargeUsage, readModelStream } from "./model-stream.ts";
import type { LoopOutcome } from "./outcome.ts";
import { capLine, summaryRequest } from "./runtime-sentences.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export async function closeAtCap(loop: ToolLoop): Promise<LoopOutcome> {
  const capped = { kind: "capped", reason: "max_tool_iterations" } as const;
  if (loop.execution.knobs.maxIterationBehavior === "error") return { ...capped, text: "", entries: [] };
  const summary = await askForSummary(loop);
  if (loop.cancel.aborted) return { kind: "cancelled", reason: "cancel", text: "", entries: [] };
  if (summary === undefined) return { ...capped, text: "", entries: [] };
  const { turn } = loop.identity;
  // The cap's line is for the reader; history keeps what the model said.
  const text = `${summary.text}\n\n${capLine(loop.progress.iteration)}`;
  loop.journal.appendEvents([
    eventOf(loop, { type: "text_delta", text, messageId: `msg_${turn}_summary` }),
    eventOf(loop, summary.usage),
  ]);
  return {
    ...capped,
    text,
    entries: [
      { kind: "note", turn, text: summaryRequest },
      { kind: "assistant", turn, text: summary.text, calls: [] },
    ],
  };
}

interface Summary {
  readonly text: string;
  readonly usage: Extract<TurnEventBody, { type: "usage" }>;
}

/** A summary that fails is no summary: the turn is capped all the same, and the tokens are charged (LC6). */
async function askForSummary(loop: ToolLoop): Promise<Summary | undefined> {
  const note = { kind: "note", turn: loop.identity.turn, text: summaryRequest } as const;
  const request = { ...buildProviderPayload(loop, [...loop.history, note], []), stream: false };
  let text = "";
  const { end } = await readModelStream(loop, request, (part) => {
    if (part.type === "text") text += part.text;
  });
  if (end?.type !== "finish") return undefined;
  const usage = chargeUsage(loop, end.usage);
  const summary = text.toWellFormed().trim();
  return summary === "" ? undefined : { text: summary, usage: { type: "usage", finishReason: end.reason, ...usage } };
}
