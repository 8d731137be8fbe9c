/** Progress lines: a call's start and end in plain text, for surfaces that show nothing richer. Rules: EV13, RE20, RE28. */
import { type JsonValue, isObject } from "../contracts/json.ts";
import type { TurnEventBody } from "../contracts/turn-event.ts";
import { boundField, MOST_REASON_CHARS } from "./bound-field.ts";
import type { Redactor } from "./redact.ts";

const MOST_HINT_CHARS = 60;
/** What says most about a call, in the order in which it is looked for. */
const HINTS = ["command", "path", "action", "query"] as const;

/** From an event alone, redacted or not; `undefined` for one that has no line. Nobody may read anything back out of it. */
export function renderProgress(event: TurnEventBody, redactor: Redactor): string | undefined {
  if (event.type === "tool_call") {
    const hint = hintOf(redactor.value(event.arguments));
    return hint === "" ? `→ ${event.tool}` : `→ ${event.tool}: ${hint}`;
  }
  if (event.type !== "tool_result") return undefined;
  const seconds = `${Math.floor(event.durationMs / 1000)} s`;
  if (event.success) return `✓ ${event.tool} (${seconds})`;
  const reason = boundField(oneLine(redactor.text(event.output)), MOST_REASON_CHARS);
  return `✗ ${event.tool} (${seconds}): ${reason}`;
}

function hintOf(args: JsonValue): string {
  if (!isObject(args)) return "";
  const found = HINTS.map((name) => args[name]).find((value) => typeof value === "string" && value.trim() !== "");
  return typeof found === "string" ? boundField(oneLine(found), MOST_HINT_CHARS) : "";
}

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, " ");
