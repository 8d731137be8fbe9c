/** Says in plain sentences what the calls of a turn came to. */
import { type JsonObject, type JsonValue, isObject } from "../../contracts/json.ts";
import type { ToolSpec } from "../../contracts/tool.ts";
import { cutCodePoints } from "../../policy/cut-text.ts";
import { withoutReceiptLine } from "../../receipts/format.ts";
import { type Language, type Moment, phrases } from "./phrases.ts";
import type { MadeCall } from "./read-turn.ts";
import type { ZoneMention } from "./time-zones.ts";

interface Answering {
  readonly language: Language;
  readonly tools: readonly ToolSpec[];
  /** Places the user named, so that the answer calls them the same. */
  readonly places: readonly ZoneMention[];
}

const MOST_QUOTED_CHARS = 600;

export function composeAnswer(made: readonly MadeCall[], answering: Answering): string {
  const { language, tools } = answering;
  if (made.length === 0)
    return tools.length === 0 ? phrases[language].noResult : phrases[language].noTool(tools.map(({ tool }) => tool));
  const sentences = made.map((one) => sentenceFor(one, answering));
  return sentences.join(sentences.some((sentence) => sentence.includes("\n")) ? "\n\n" : " ");
}

function sentenceFor({ call, result }: MadeCall, { language, tools, places }: Answering): string {
  const tool = tools.find(({ name }) => name === call.name)?.tool ?? call.name;
  const text = withoutReceiptLine(result.text).trim();
  const say = phrases[language];
  if (!result.success) return say.failure(tool, endSentence(quote(text)));
  const args = readArguments(call.argumentsText);
  const expression = args["expression"];
  if (tool === "calculator" && typeof expression === "string") return say.equals(expression, text);
  const moment = tool === "current_time" ? readMoment(text, placeName(args["timezone"], places)) : undefined;
  return moment === undefined ? say.result(tool, endSentence(quote(text))) : say.timeIn(moment);
}

const quote = (text: string): string => cutCodePoints(text, MOST_QUOTED_CHARS, "…");

const endSentence = (text: string): string =>
  /[\p{L}\p{N})"'%]$/u.test(text) && !text.includes("\n") ? `${text}.` : text;

function placeName(timezone: unknown, places: readonly ZoneMention[]): string {
  if (typeof timezone !== "string") return "UTC";
  return (
    places.find(({ zone }) => zone === timezone)?.place ??
    timezone.slice(timezone.lastIndexOf("/") + 1).replaceAll("_", " ")
  );
}

function readMoment(text: string, place: string): Moment | undefined {
  const parts = /\b(\d{4})-(\d{2})-(\d{2})[T ](\d{2}:\d{2})(?::[\d.]+)?(Z|[+-]\d{2}:\d{2})/.exec(text);
  if (parts === null) return undefined;
  const [, year, month, day, time = "", offset = ""] = parts;
  const date = { year: Number(year), month: Number(month), day: Number(day) };
  const sunday = new Date(Date.UTC(date.year, date.month - 1, date.day)).getUTCDay();
  const utc = offset === "Z" || /^[+-]00:00$/.test(offset);
  return { ...date, place, time, weekday: (sunday + 6) % 7, offset: utc ? "UTC" : `UTC${offset}` };
}

function readArguments(text: string): JsonObject {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}
