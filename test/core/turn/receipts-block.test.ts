/** The list of receipts at the end of a final text: for the reader, in the stream and in the turn's text, and nowhere else. */
import { describe, expect, test } from "vitest";
import { eventsOf, runOnce } from "../../support/core-fixture.ts";
import { calls, says, text } from "../../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../../support/suspension-room.ts";
import { createTool } from "../../support/test-tools.ts";

const shown = { agent: { tool_receipts: { show_in_response: true } }, risk: { level: "full" } } as const;
const tools = [
  createTool("first"),
  createTool("second"),
  createTool("broken", () => ({ success: false, error: "no" })),
];
const script = [
  calls({ name: "second" }, { name: "broken" }),
  [text("Then "), ...calls({ name: "first" })],
  says("It is ", "done."),
];

test("[RE11][EV9] the final text ends with each receipt under its tool, in order of execution; history does not", async () => {
  const turn = await runOnce(script, { ...shown, tools });
  const [second, first] = turn.summary.receipts.map(({ receipt }) => receipt);
  const last = `It is done.\n\n---\nTool receipts:\n  second: ${second}\n  first: ${first}`;
  expect(turn.summary.text).toBe(last);
  const deltas = eventsOf(turn, "text_delta");
  expect(deltas.map((delta) => delta.text).join("")).toBe(`Then ${last}`);
  const types = turn.events.map(({ type }) => type);
  expect(types.lastIndexOf("usage")).toBeGreaterThan(types.lastIndexOf("text_delta"));
  expect(turn.history.at(-1)).toMatchObject({ kind: "assistant", text: "It is done." });
});

test.each([
  ["nothing was signed", { ...shown, tools }, [says("It is done.")]],
  ["it is not asked for", { risk: { level: "full" }, tools } as const, script],
])("[RE11] there is none when %s", async (_why, setup, responses) => {
  const turn = await runOnce(responses, setup);
  expect(turn.summary.text).toBe("It is done.");
  expect(
    eventsOf(turn, "text_delta")
      .map((delta) => delta.text)
      .join(""),
  ).not.toContain("---");
});

describe("steering", () => {
  useStillClock();

  test("[RE11][LC1] text that the turn goes on behind is not the final one", async () => {
    const room = openSuspensionRoom({ ...shown, tools });
    async function* steered() {
      expect(room.steer("wait").ok).toBe(true);
      yield* says("So far.");
    }
    const turn = await room.run([calls({ name: "first" }), steered, says("Now.")]);
    const texts = eventsOf(turn, "text_delta").map((delta) => delta.text);
    expect(texts.join("").match(/Tool receipts:/g)).toHaveLength(1);
    expect(turn.text).toMatch(/^Now\.\n\n---\nTool receipts:\n {2}first: zc-receipt-/);
  });
});
