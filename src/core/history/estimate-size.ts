/** Size estimates of history, in tokens, from the bytes of its texts. Rules: LC22. */
import type { HistoryEntry, InputPart } from "../../contracts/message.ts";
import { countUtf8 } from "../../contracts/utf8-size.ts";

const BYTES_PER_TOKEN = 4;
const TOKENS_PER_MESSAGE = 4;
/** Providers charge a picture by its area, not by the length of its base64: this stands for any of them. */
const PICTURE_BYTES = 6000;

/** Tokens of one message of this text: system text, or the specs as they are sent. */
export const estimateText = (text: string): number => toTokens(countUtf8(text));

export const estimateEntry = (entry: HistoryEntry): number => toTokens(entryBytes(entry));

export const estimateHistory = (history: readonly HistoryEntry[]): number =>
  history.reduce((total, entry) => total + estimateEntry(entry), 0);

const toTokens = (bytes: number): number => Math.ceil(bytes / BYTES_PER_TOKEN) + TOKENS_PER_MESSAGE;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

function entryBytes(entry: HistoryEntry): number {
  switch (entry.kind) {
    case "user":
      return sum(entry.parts.map(partBytes));
    case "assistant": {
      const calls = entry.calls.map(({ tool, argumentsText }) => countUtf8(tool) + countUtf8(argumentsText));
      return countUtf8(entry.text) + countUtf8(entry.reasoning ?? "") + sum(calls);
    }
    case "tool":
    case "note":
      return countUtf8(entry.text);
    default:
      return entry satisfies never;
  }
}

const partBytes = (part: InputPart): number => (part.type === "text" ? countUtf8(part.text) : PICTURE_BYTES);
