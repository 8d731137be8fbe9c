/** A round for a model that calls tools in text: its own words, then one user message with all results. Rules: HI4, TP77, TP78. */
import type { AssistantEntry } from "../../contracts/message.ts";
import type { ModelMessage } from "../../contracts/model.ts";
import { renderToolResults } from "../turn/parse/text/tool-results.ts";
import type { HistoryRound } from "./build-provider-payload.ts";

export function toTextRound({ assistant, results, nameOf }: HistoryRound): readonly ModelMessage[] {
  const text = textOf(assistant, nameOf).trim();
  const said: readonly ModelMessage[] = text === "" ? [] : [{ role: "assistant", text, calls: [] }];
  if (results.length === 0) return said;
  const rendered = renderToolResults(
    results.map(({ callId, tool, success, text: result }) => ({ callId, name: nameOf(tool), success, text: result })),
  );
  return [...said, { role: "user", parts: [{ type: "text", text: rendered }] }];
}

/** Calls that were made natively, by another model, are written out, so that the results have something to answer. */
function textOf({ text, visibleText, calls }: AssistantEntry, nameOf: (tool: string) => string): string {
  if (visibleText !== undefined || calls.length === 0) return text;
  const blocks = calls.map(
    ({ tool, argumentsText }) =>
      `<tool_call>\n{"name": ${JSON.stringify(nameOf(tool))}, "arguments": ${argumentsText}}\n</tool_call>`,
  );
  return [text, ...blocks].join("\n");
}
