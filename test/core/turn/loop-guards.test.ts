/** Loop detector and identical-output check in a turn: what they note, refuse and end, and what of it is in history. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import {
  type CoreSetup,
  dispositionsOf,
  eventsOf,
  openConversation,
  resultsOf,
  runOnce,
} from "../../support/core-fixture.ts";
import { calls, fault, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool } from "../../support/test-tools.ts";

type Script = readonly (readonly ModelEvent[])[];

const setup = (tools: CoreSetup["tools"], runtime: object = {}): CoreSetup => ({
  risk: { level: "full" },
  runtime: { max_tool_iterations: 30, ...runtime },
  ...(tools === undefined ? {} : { tools }),
});
const rounds = (count: number, round: (n: number) => readonly ModelEvent[]): Script =>
  Array.from({ length: count }, (_, n) => round(n));
const notesOf = (turn: Awaited<ReturnType<typeof runOnce>>): readonly string[] =>
  turn.history.flatMap((entry) => (entry.kind === "note" ? [entry.text] : []));
const levelsOf = (turn: Awaited<ReturnType<typeof runOnce>>) =>
  eventsOf(turn, "loop_warning").map(({ level, iteration }) => [level, iteration]);

describe("exact repeat", () => {
  const same = calls({ name: "it", args: { a: 1 } });

  test("[LC12][LC15][CP13] five times: warn, block, the fifth refused and the end, its round in history", async () => {
    const it = createNoting("it");
    const turn = await runOnce([...rounds(5, () => same), says("Here is what I have.")], setup([it.tool]));
    expect(levelsOf(turn)).toEqual([
      ["warn", 3],
      ["block", 4],
      ["break", 5],
    ]);
    expect(dispositionsOf(turn)).toEqual(["succeeded", "succeeded", "succeeded", "succeeded", "refused"]);
    expect(it.ran).toHaveLength(4);
    expect(turn.summary).toMatchObject({ outcome: "stopped", reason: "loop_detected", iterations: 5 });
    expect(turn.summary.text).toMatch(/^Here is what I have\.\n\n\(.*\)$/);
    const kinds = turn.history.slice(-4).map(({ kind }) => kind);
    expect(kinds).toEqual(["assistant", "tool", "note", "assistant"]);
    expect(resultsOf(turn).at(-1)).toMatch(/refused/);
  });

  test("[LC14][HI9] a warning's note names tool and count, stands behind the round, and is in no event", async () => {
    const turn = await runOnce([...rounds(3, () => same), says("ok")], setup([createTool("it")]));
    expect(notesOf(turn)).toEqual([expect.stringMatching(/"it".*3 times/)]);
    expect(turn.history.slice(-3).map(({ kind }) => kind)).toEqual(["tool", "note", "assistant"]);
    const last = turn.conversation.provider.requests.at(-1);
    expect(last?.messages.at(-1)).toMatchObject({ role: "user", parts: [{ text: notesOf(turn)[0] }] });
    expect(last?.system).toBe(turn.conversation.provider.requests[0]?.system);
    expect(JSON.stringify(turn.events)).not.toContain("looks like a loop");
  });

  test("[LC15] after another tool ran the blocked call runs again", async () => {
    const it = createNoting("it");
    const script = [...rounds(4, () => same), calls({ name: "other" }), same, says("ok")];
    const turn = await runOnce(script, setup([it.tool, createTool("other")]));
    expect([dispositionsOf(turn).at(-1), it.ran.length, turn.summary.outcome]).toEqual(["succeeded", 5, "completed"]);
  });

  test("[CP13][LC15] a blocked call is refused before anyone is asked, and another with other arguments runs", async () => {
    const it = createNoting("it");
    const batch = calls({ name: "it", args: { a: 1 } }, { name: "it", args: { a: 2 } });
    const turn = await runOnce([...rounds(4, () => same), batch, says("ok")], setup([it.tool]));
    expect(it.ran.at(-1)).toEqual({ a: 2 });
    expect(
      eventsOf(turn, "tool_result")
        .slice(-2)
        .map(({ disposition }) => disposition),
    ).toEqual(["refused", "succeeded"]);
  });

  test("[LC17] behind a break the rest of the round is collected and kept", async () => {
    const it = createNoting("it");
    const other = createNoting("other");
    const batch = calls({ name: "it", args: { a: 1 } }, { name: "other" }, { name: "nothing" });
    const turn = await runOnce([...rounds(4, () => same), batch, says("so")], setup([it.tool, other.tool]));
    expect(turn.summary).toMatchObject({ outcome: "stopped", reason: "loop_detected" });
    expect(resultsOf(turn)).toHaveLength(7);
    expect(other.ran).toHaveLength(1);
  });

  test.each([
    ["fails", [fault()]],
    ["is blank", says(" ")],
  ])("[LC16] a break whose summary %s ends alike, without text, the round in history", async (_how, response) => {
    const turn = await runOnce([...rounds(5, () => same), response], setup([createTool("it")]));
    expect(turn.summary).toMatchObject({ outcome: "stopped", reason: "loop_detected", text: "" });
    expect(turn.history.filter(({ kind }) => kind === "tool")).toHaveLength(5);
    expect(turn.history.at(-1)?.kind).not.toBe("assistant");
  });

  test("[LC11][LC12] a refusal counts: the call that keeps coming is not run a sixth time", async () => {
    const it = createNoting("it");
    const turn = await runOnce(
      [...rounds(4, () => same), calls({ name: "it", args: { a: 1 } }), says("so")],
      setup([it.tool]),
    );
    expect([it.ran.length, turn.summary.reason]).toEqual([4, "loop_detected"]);
  });

  test("[LC13] the window is the profile's: in one of two nothing repeats three times", async () => {
    const pacing = { loop_detection_window_size: 2 };
    const turn = await runOnce([...rounds(6, () => same), says("ok")], setup([createTool("it")], { pacing }));
    expect([levelsOf(turn), turn.summary.outcome]).toEqual([[], "completed"]);
  });
});

describe("other patterns", () => {
  test("[LC12] A and B in turns: warn at 8, block at 10, break at 12", async () => {
    const tools = [createTool("a", ({ n }) => JSON.stringify(n)), createTool("b", ({ n }) => JSON.stringify(n))];
    const script = rounds(12, (n) => calls({ name: n % 2 === 0 ? "a" : "b", args: { n } }));
    const turn = await runOnce([...script, says("so")], setup(tools));
    expect(levelsOf(turn)).toEqual([
      ["warn", 8],
      ["warn", 9],
      ["block", 10],
      ["block", 11],
      ["break", 12],
    ]);
    expect(turn.summary.reason).toBe("loop_detected");
  });

  test("[LC12] eight reads with other arguments and one output: warn at 5, block from 6, no break", async () => {
    const turn = await runOnce(
      [...rounds(8, (n) => calls({ name: "it", args: { n } })), says("ok")],
      setup([createTool("it")]),
    );
    expect(levelsOf(turn)).toEqual([
      ["warn", 5],
      ["block", 6],
      ["block", 7],
      ["block", 8],
    ]);
    expect([dispositionsOf(turn).length, turn.summary.outcome]).toEqual([8, "completed"]);
  });

  test.each([
    ["failures", {}, (): unknown => ({ success: false, error: "no" })],
    ["ignored tools", { pacing: { loop_ignore_tools: ["i*"] } }, (): unknown => "ok"],
    ["a detector that is off", { pacing: { loop_detection_enabled: false } }, (): unknown => "ok"],
  ])("[LC10] eight identical calls, %s: no verdict", async (_what, runtime, execute) => {
    const turn = await runOnce(
      [...rounds(8, () => calls({ name: "it" })), says("ok")],
      setup([createTool("it", execute)], runtime),
    );
    expect([levelsOf(turn), notesOf(turn), turn.summary.outcome]).toEqual([[], [], "completed"]);
  });

  test("[LC12] in one batch too, in slot order", async () => {
    const wanted = Array.from({ length: 5 }, () => ({ name: "it" }));
    const turn = await runOnce([calls(...wanted), says("so")], setup([createTool("it")], { dedup_enabled: false }));
    expect(levelsOf(turn)).toEqual([
      ["warn", 1],
      ["block", 1],
      ["break", 1],
    ]);
    expect([resultsOf(turn).length, turn.summary.reason]).toEqual([5, "loop_detected"]);
  });
});

describe("identical output", () => {
  const round = (n: number) => calls({ name: "it", args: { n } }, { name: "that", args: { n } });
  const tools = () => [createTool("it", () => "a"), createTool("that", () => "b")];
  const watching = (seconds: number) => ({
    pacing: { loop_detection_enabled: false, loop_detection_min_elapsed_secs: seconds },
  });

  test("[LC18][LC19] four identical rounds end the turn after the fourth, with a summary", async () => {
    const turn = await runOnce([...rounds(4, round), says("so far")], setup(tools(), watching(0)));
    expect(turn.summary).toMatchObject({ outcome: "stopped", reason: "loop_detected", iterations: 4 });
    expect(turn.summary.text).toMatch(/^so far/);
    expect(resultsOf(turn)).toHaveLength(8);
  });

  test.each([
    ["unset", { pacing: { loop_detection_enabled: false } }, tools()],
    [
      "with failures only",
      watching(0),
      ["it", "that"].map((name) => createTool(name, () => ({ success: false, error: "no" }))),
    ],
    [
      "with a round that differs between",
      watching(0),
      [createTool("it", ({ n }) => (n === 2 ? "x" : "a")), createTool("that", () => "b")],
    ],
    ["for tools that are ignored", { pacing: { ...watching(0).pacing, loop_ignore_tools: ["*"] } }, tools()],
  ])("[LC19] %s it does not end", async (_what, runtime, given) => {
    const turn = await runOnce([...rounds(5, round), says("ok")], setup(given, runtime));
    expect(turn.summary).toMatchObject({ outcome: "completed", iterations: 6 });
  });

  test("[LC18] it begins to look once the turn has run as long as the profile says", async () => {
    const slow = createTool("it", ({ n }) => {
      // Ten seconds are over in the fourth round: that is the first one that counts.
      if (n === 3) conversation.clock.advance(10_000);
      return "a";
    });
    const conversation = openConversation(setup([slow, createTool("that", () => "b")], watching(10)));
    const turn = await conversation.run([...rounds(7, round), says("so")]);
    expect(turn.summary).toMatchObject({ reason: "loop_detected", iterations: 7 });
  });
});
