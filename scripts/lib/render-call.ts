/** Renders one tool call for a terminal: what it was, how it went, its receipt. Rules: RE27, RE28. */
import type { Disposition } from "../../src/contracts/call.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { makePrintable, type Paint, shorten } from "./terminal-text.ts";

export type ToolCallEvent = Extract<WireTurnEvent, { type: "tool_call" }>;
export type ToolResultEvent = Extract<WireTurnEvent, { type: "tool_result" }>;

const argumentChars = 80;
const outputChars = 100;
const reasonChars = 200;

const words: Readonly<Record<Disposition, string>> = {
  succeeded: "",
  failed: "failed",
  timed_out: "out of time; it may have taken effect",
  outcome_unknown: "outcome unknown; it may have taken effect",
  interrupted: "interrupted",
  cancelled: "cancelled, not run",
  client_result: "answered by the client",
  replaced: "replaced by an operator, not run",
  denied: "denied, not run",
  expired: "nobody decided in time, not run",
  unavailable: "nobody could be asked, not run",
  hook_cancelled: "stopped by a hook, not run",
  duplicate: "repeats an earlier call, not run",
  refused: "refused, not run",
  invalid_arguments: "arguments not accepted, not run",
  truncated_call: "arrived cut off, not run",
  unknown_tool: "no such tool, not run",
  not_available: "not available in this turn, not run",
};

function describeArguments(value: ToolCallEvent["arguments"]): string {
  if (value === null || typeof value !== "object" || Array.isArray(value))
    return shorten(JSON.stringify(value), argumentChars);
  const pairs = Object.entries(value).map(([name, argument]) => `${name}=${JSON.stringify(argument)}`);
  return shorten(pairs.join(" "), argumentChars);
}

/** Whole milliseconds below a second, then seconds with one digit. */
export function describeDuration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

/** Whole lines. The receipt stands alone on its line, so that a double click takes all of it. */
export function renderCall(call: ToolCallEvent | undefined, result: ToolResultEvent, paint: Paint): string {
  const { success, disposition } = result;
  const verdict = disposition === null ? "" : words[disposition];
  const output = shorten(result.output, success ? outputChars : reasonChars);
  const parts = [
    success ? paint("green", "✓") : paint("red", "✗"),
    paint("bold", shorten(result.tool, argumentChars)),
    call === undefined ? "" : describeArguments(call.arguments),
    success && output !== "" ? `→ ${output}` : "",
    verdict === "" ? "" : paint("red", `(${verdict})`),
    paint("dim", `· ${describeDuration(result.duration_ms)}`),
  ];
  const lines = [
    parts.filter((part) => part !== "").join(" "),
    ...(success || output === "" ? [] : [`  ${output}`]),
    ...(result.receipt === undefined ? [] : [`  ${paint("dim", makePrintable(result.receipt))}`]),
  ];
  return `${lines.join("\n")}\n`;
}
