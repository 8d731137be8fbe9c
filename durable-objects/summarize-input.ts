/** Input summary: what a turn was asked, short enough for an event. */
import type { InputPart } from "../src/contracts/message.ts";

const SUMMARY_CHARS = 200;

export function summarizeInput(parts: readonly InputPart[]): string {
  const text = parts.map((part) => (part.type === "text" ? part.text : `[image ${part.mediaType}]`)).join("\n");
  const points = Array.from(text.slice(0, 2 * SUMMARY_CHARS + 2));
  return points.length <= SUMMARY_CHARS ? text : `${points.slice(0, SUMMARY_CHARS).join("")}…`;
}
