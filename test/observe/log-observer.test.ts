/** Observer records in the log. */
import { expect, test } from "vitest";
import type { ObserverRecord } from "../../src/contracts/observer.ts";
import { createLogObserver } from "../../src/observe/log-observer.ts";

const context = { turn: "trn_1", channel: "http", agent: "ada" };
const usage = { inputTokens: 1, outputTokens: 2, cachedTokens: 0, reasoningTokens: 0, exact: true, costUsd: 0 };
const content = { arguments: { note: "what it was asked" }, result: "what it said" };
const records: readonly ObserverRecord[] = [
  { ...context, type: "agent_start" },
  { ...context, type: "llm_response", iteration: 1, accepted: true, usage },
  {
    ...context,
    ...content,
    parentAgent: "bob",
    type: "tool_call",
    tool: "it",
    callId: "call_trn_1_1",
    durationMs: 3,
    success: true,
    disposition: "succeeded",
  },
];

test("[EV11][SE73] one line per record at debug: ids, enums and numbers, nothing of what was said", () => {
  const lines: unknown[] = [];
  const observe = createLogObserver((level, code, fields) => lines.push([level, code, fields]));
  for (const record of records) observe(record);
  expect(lines).toEqual([
    ["debug", "observed_agent_start", context],
    ["debug", "observed_llm_response", { ...context, iteration: 1, accepted: true }],
    [
      "debug",
      "observed_tool_call",
      {
        ...context,
        parentAgent: "bob",
        tool: "it",
        callId: "call_trn_1_1",
        durationMs: 3,
        success: true,
        disposition: "succeeded",
      },
    ],
  ]);
});
