/** Renders the events of a turn for a terminal: a pure step from what is printed to what is printed next. Rules: EV9, SE56. */
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { renderCall, type ToolCallEvent } from "./render-call.ts";
import { makePrintable, type Paint, shorten } from "./terminal-text.ts";

type FinishedEvent = Extract<WireTurnEvent, { type: "turn_finished" }>;

/** What the terminal shows so far, as far as later events depend on it. */
export interface Rendering {
  readonly last: "nothing" | "passage" | "lines";
  /** Running text has not yet ended its line. */
  readonly midLine: boolean;
  /** Which message the last passage belongs to; another one begins a paragraph. */
  readonly passage: string;
  /** The model's words, joined: the end repeats them, and only what is new then is printed. */
  readonly words: string;
  readonly calls: ReadonlyMap<string, ToolCallEvent>;
}

export interface RenderedEvent {
  readonly rendering: Rendering;
  readonly text: string;
}

export const emptyRendering: Rendering = {
  last: "nothing",
  midLine: false,
  passage: "",
  words: "",
  calls: new Map(),
};

const unchanged = (rendering: Rendering): RenderedEvent => ({ rendering, text: "" });

/** An empty line stands between passages, and between a passage and lines. */
function separate({ last, midLine }: Rendering, next: "passage" | "lines"): string {
  if (last === "nothing" || (last === "lines" && next === "lines")) return "";
  return midLine ? "\n\n" : "\n";
}

function addLines(rendering: Rendering, lines: string): RenderedEvent {
  const text = separate(rendering, "lines") + lines;
  return { rendering: { ...rendering, last: "lines", midLine: false }, text };
}

interface Passage {
  readonly raw: string;
  readonly shown: string;
  /** Stands once before it. */
  readonly label?: string;
}

function addPassage(rendering: Rendering, passage: string, { raw, shown, label = "" }: Passage) {
  if (raw === "") return unchanged(rendering);
  const continues = rendering.last === "passage" && rendering.passage === passage;
  return {
    rendering: { ...rendering, last: "passage", midLine: !raw.endsWith("\n"), passage },
    text: (continues ? "" : separate(rendering, "passage") + label) + shown,
  } as const;
}

function addWords(rendering: Rendering, passage: string, words: string): RenderedEvent {
  const added = addPassage(rendering, passage, { raw: words, shown: makePrintable(words) });
  return { ...added, rendering: { ...added.rendering, words: rendering.words + words } };
}

const depthOf = ({ parent_calls: parents = [] }: WireTurnEvent): number => parents.length;
const nameOf = ({ agent }: WireTurnEvent): string => `${shorten(agent, 80)}: `;

/** Whole lines, as they are; a delegate's are set in by how deep it works, and name it. */
function nest(event: WireTurnEvent, lines: string): string {
  const depth = depthOf(event);
  if (depth === 0) return lines;
  const margin = "  ".repeat(depth);
  return `${margin}${nameOf(event)}${lines.trimEnd().replaceAll("\n", `\n${margin}`)}\n`;
}

/** What a delegate says is for its caller: it is shown, and is none of the turn's own words. */
function addText(
  rendering: Rendering,
  event: Extract<WireTurnEvent, { type: "text_delta" }>,
  paint: Paint,
): RenderedEvent {
  const { text, message_id: message } = event;
  if (depthOf(event) === 0) return addWords(rendering, message, text);
  return addPassage(rendering, message, {
    raw: text,
    shown: paint("dim", makePrintable(text)),
    label: paint("dim", nameOf(event)),
  });
}

/** The end's text may go on where the streamed words stopped, or be one that was never streamed. */
function addRemainingWords(rendering: Rendering, { text }: FinishedEvent): RenderedEvent {
  const { words, passage } = rendering;
  if (words.includes(text.trim())) return unchanged(rendering);
  let known = Math.min(words.length, text.length);
  while (!words.endsWith(text.slice(0, known))) known -= 1;
  return addWords(rendering, known > 0 ? passage : "end", text.slice(known));
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

function describeEnd(event: FinishedEvent, paint: Paint): string {
  const { outcome, reason, iterations, usage, conversation, turn } = event;
  const verdict = reason === undefined ? outcome : `${outcome}: ${shorten(reason, 80)}`;
  const facts = [
    paint(outcome === "completed" ? "green" : "red", verdict),
    countOf(iterations, "iteration"),
    `${usage.exact ? "" : "about "}${countOf(usage.input_tokens, "token")} in, ${usage.output_tokens} out`,
    ...(usage.cost_usd > 0 ? [`$${usage.cost_usd.toFixed(4)}`] : []),
    `conversation ${shorten(conversation, 80)}`,
    `turn ${shorten(turn, 80)}`,
  ];
  return `${facts.join(" · ")}\n`;
}

function renderFinish(rendering: Rendering, event: FinishedEvent, paint: Paint): RenderedEvent {
  const words = addRemainingWords(rendering, event);
  const gap = words.rendering.last === "lines" ? "\n" : "";
  const end = addLines(words.rendering, gap + describeEnd(event, paint));
  return { ...end, text: words.text + end.text };
}

function describeCheck({ quoted, fabricated, claims }: Extract<WireTurnEvent, { type: "receipt_check" }>): string {
  const doubts = claims.map(({ kind, text }) => `, ${kind}: "${shorten(text, 80)}"`);
  return `${countOf(quoted, "genuine receipt")} quoted, ${fabricated.length} fabricated${doubts.join("")}`;
}

/** The next piece of text, which may be empty, and where the terminal then stands. */
export function renderEvent(rendering: Rendering, event: WireTurnEvent, paint: Paint): RenderedEvent {
  const note = (text: string): RenderedEvent => addLines(rendering, nest(event, `${paint("dim", text)}\n`));
  switch (event.type) {
    case "text_delta":
      return addText(rendering, event, paint);
    case "reasoning_delta": {
      const raw = event.text ?? "";
      return addPassage(rendering, `reasoning ${event.message_id}`, { raw, shown: paint("dim", makePrintable(raw)) });
    }
    case "tool_call":
      return unchanged({ ...rendering, calls: new Map(rendering.calls).set(event.call_id, event) });
    case "tool_result":
      return addLines(rendering, nest(event, renderCall(rendering.calls.get(event.call_id), event, paint)));
    case "provider_retry":
      return note(`the model is asked again (attempt ${event.attempt}: ${shorten(event.reason, 120)})`);
    case "history_trimmed":
      return note(`${countOf(event.dropped_messages, "older message")} left out of what the model is told`);
    case "turn_recovered":
      return note(`the turn was cut off and found again, with ${countOf(event.calls.length, "open call")}`);
    case "message_reset":
      return note("the answer starts again");
    case "turn_finished":
      return renderFinish(rendering, event, paint);
    case "approval_requested":
      return note(
        `waiting for approval of ${shorten(event.tool, 80)} (${shorten(event.arguments_summary, 160)}) – ${event.approval_id}`,
      );
    case "approval_decided":
      return note(`${event.decision ?? event.provenance}: ${shorten(event.tool, 80)}`);
    case "client_tool_requested":
      return note(`waiting for the client to run ${shorten(event.tool, 80)}`);
    case "steering":
      return note(`you said: ${shorten(event.text, 160)}`);
    case "loop_warning":
      return note(`${shorten(event.tool, 80)} repeats itself (${event.level})`);
    case "receipt_check":
      return note(describeCheck(event));
    case "model_switched":
      return note(`the model is now ${shorten(event.to, 80)}`);
    case "turn_suspended":
      return note("the turn waits");
    case "turn_resumed":
      return note("the turn goes on");
    case "plan":
    case "turn_accepted":
    case "turn_started":
    case "usage":
      return unchanged(rendering);
  }
}
