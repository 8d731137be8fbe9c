/** The progress board: the newest of each running call, as frames without a place in the log. */
import { expect, test } from "vitest";
import { createDataRedactor } from "../../durable-objects/encode-event.ts";
import type { ToolProgress } from "../../src/contracts/turn-event.ts";
import { createRedactor } from "../../src/observe/redact.ts";
import { createBoard } from "../support/progress-board.ts";

const told = (callId: string, data: ToolProgress["data"], turn = "trn_1"): ToolProgress => ({
  type: "tool_progress",
  turn,
  agent: "ada",
  channel: "http",
  iteration: 1,
  callId,
  data,
});

test("[TC12][SS5] a frame has neither seq nor id", () => {
  const board = createBoard();
  board.show(told("c1", { done_parts: 1, noteText: "a\u2028b" }));
  const [frame = ""] = board.since(0).frames;
  expect(frame).toMatch(/^event: tool_progress\ndata: \{.*\}\n\n$/);
  const body = JSON.parse(frame.split("data: ")[1] ?? "") as object;
  expect(body).toEqual({
    type: "tool_progress",
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    conversation: "conversation_1",
    turn: "trn_1",
    agent: "ada",
    channel: "http",
    iteration: 1,
    call_id: "c1",
    data: { done_parts: 1, noteText: "a\u2028b" },
  });
  expect(frame).not.toContain("\u2028");
});

test("[TC12] of each call there is the newest, in the order in which they were shown", () => {
  const board = createBoard();
  for (const [call, n] of [
    ["a", 1],
    ["b", 2],
    ["a", 3],
  ] as const)
    board.show(told(call, n));
  const seen = board.since(0);
  expect(seen.frames.map((frame) => /"data":(\d)/.exec(frame)?.[1])).toEqual(["2", "3"]);
  expect(board.since(seen.upTo).frames).toEqual([]);
  board.show(told("b", 4));
  expect(board.since(seen.upTo).frames).toHaveLength(1);
});

test("[TC12] a stream of one turn hears of no other, and a settled call is gone", () => {
  const board = createBoard();
  board.show(told("a", 1));
  board.show(told("b", 2, "trn_2"));
  expect(board.since(0, "trn_2").frames).toHaveLength(1);
  board.clear("b");
  expect(board.since(0, "trn_2").frames).toEqual([]);
  expect(board.since(0).frames).toHaveLength(1);
});

test("[TC12] whoever waits for the log is woken", () => {
  let woken = 0;
  createBoard({ wake: () => (woken += 1) }).show(told("a", 1));
  expect(woken).toBe(1);
});

test("[TC12][RE20] it is redacted as events are, where the agent's profile does not say otherwise", () => {
  const redactor = createRedactor({ secrets: ["hunter2-hunter2"] });
  const agents = new Map([["open", { runtimeProfile: "open" }]]) as never;
  const runtimeProfiles = new Map([["open", { redactEvents: false }]]) as never;
  const redact = createDataRedactor({ config: { agents, runtimeProfiles }, redactor });
  const data = { note: "it is hunter2-hunter2", password: "abc12345" };
  expect(JSON.stringify(redact("gone", data))).not.toMatch(/hunter2|abc12345/);
  expect(redact("open", data)).toEqual(data);
});
