/** Suspension and the way back: what is kept, what is never done again, what a later configuration may take away. */
import { describe, expect, test, vi } from "vitest";
import { defineHook } from "../../src/config.ts";
import { readTurnCheckpoint } from "../../src/storage/step-store.ts";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { calls, callOf, finish, says, text } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { type SuspensionRoom, approveAll, openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));

describe("the value", () => {
  test("[CK1] a suspended turn keeps no timer and nothing that runs; only the alarm is armed", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    await room.run([[text("One moment. "), text("I must ask."), ...ask(1)]]);
    expect([vi.getTimerCount(), room.alarmAt()]).toEqual([0, Date.now() + 120_000]);
  });

  test("[CK2][CK4] the checkpoint is versioned JSON without texts, arguments, results, keys or decisions", async () => {
    const tools = [createTool("free", () => "result-of-free"), createTool("asks")];
    const room = openSuspensionRoom({ tools, risk: { auto_approve: ["free"] } });
    const first = calls({ name: "free", args: { word: "first-arguments" } });
    room.provider.script(first, [
      text("shown-text"),
      callOf({ name: "asks", args: { word: "asked-arguments" } }),
      finish(),
    ]);
    room.post("the-question");
    await room.rest();
    const checkpoint = readTurnCheckpoint(room.sql, 1);
    expect(checkpoint).toMatchObject({ version: 1, iteration: 2, shared: { calls: 2, pot: 8 } });
    const stored = JSON.stringify(checkpoint);
    for (const word of ["the-question", "first-arguments", "asked-arguments", "result-of-free", "shown-text", "apr_"]) {
      expect(stored).not.toContain(word);
    }
    expect(JSON.parse(stored)).toEqual(checkpoint);
  });

  test("[HI2][HI1] while an approval is open history shows no unanswered call", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    const turn = await room.run([ask(1)]);
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user"]);
    room.provider.script(says("ok"));
    await approveAll(room);
    expect(room.turn().history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "assistant"]);
  });

  test.each([
    ["of a future version", { version: 2 }],
    ["without a version", {}],
    ["with a version that is no number", { version: "1" }],
  ])(
    "[CK18] a checkpoint %s ends the turn, by no guess; history stays valid and the next turn runs",
    async (_how, stored) => {
      const asks = createNoting("asks");
      const free = createNoting("free");
      const room = openSuspensionRoom({ tools: [asks.tool, free.tool], risk: { auto_approve: ["free"] } });
      await room.run([calls({ name: "asks" }, { name: "free" }), says("second")]);
      room.post("second");
      const { version: _version, ...rest } = readTurnCheckpoint(room.sql, 1) ?? {};
      room.sql.run(
        "UPDATE steps SET checkpoint = ? WHERE turn = 1",
        new TextEncoder().encode(JSON.stringify({ ...rest, ...stored })),
      );
      room.evict();
      room.decide(approve);
      await room.rest();
      const turn = room.turn();
      expect([turn.state, turn.reason, asks.ran, free.ran]).toEqual(["failed", "checkpoint_version", [], []]);
      expect(dispositionsOf(turn)).toEqual(["interrupted", "interrupted"]);
      expect(room.turn("trn_2").text).toBe("second");
      expectSound(room.sql);
    },
  );
});

describe("re-entry", () => {
  test("[CK5][CK9] nothing that was done is done again: provider, hooks, repair, predicate, events", async () => {
    const times = { before: 0, repair: 0, predicate: 0 };
    const hooks = [
      defineHook({ name: "watch", on: "before_tool_call", run: () => void (times.before += 1) }),
      defineHook({
        name: "mend",
        on: "repair_tool_call",
        run: () => ((times.repair += 1), { n: 7 }),
      }),
    ];
    const asks = createNoting("asks", { needsApproval: () => (times.predicate += 1) > 0 });
    const room = openSuspensionRoom({ tools: [asks.tool], hooks });
    const before = await room.run([calls({ name: "asks", argumentsText: "{" }), says("ok")]);
    room.evict();
    room.decide(approve);
    await room.rest();
    const after = room.turn();
    expect([times, asks.ran, room.provider.requests.length]).toEqual([
      { before: 1, repair: 1, predicate: 1 },
      [{ n: 7 }],
      2,
    ]);
    expect(after.events.slice(0, before.events.length)).toEqual(before.events);
    expect(eventsOf(after, "usage")).toHaveLength(2);
  });

  test.each([
    ["a decision", {}, async (room: SuspensionRoom) => void room.decide(approve)],
    ["a denial", {}, async (room: SuspensionRoom) => void room.decide({ decision: "deny" })],
    ["a deadline", {}, async (room: SuspensionRoom) => (room.pass(120_000), room.alarm())],
    [
      "a posted result",
      { risk: { level: "full" }, clientTools: ["asks"], tools: [] },
      async (room: SuspensionRoom) => void (await room.answer({ call_trn_1_1: { success: true, output: "x" } })),
    ],
  ] satisfies readonly (readonly [string, RoomSetup, (room: SuspensionRoom) => Promise<void>])[])(
    "[CK6] the last open request is resolved by %s: the turn goes on",
    async (_what, setup, resolve) => {
      const room = openSuspensionRoom({ tools: [createTool("asks")], ...setup });
      await room.run([ask(1), says("ok")]);
      room.evict();
      await resolve(room);
      await room.rest();
      expect(room.turn()).toMatchObject({ state: "completed", text: "ok" });
    },
  );

  test("[CK7] two results of the last open call at once: one is taken, and the turn is re-entered once", async () => {
    const room = openSuspensionRoom({ risk: { level: "full" }, clientTools: ["asks"] });
    await room.run([ask(1), says("ok")]);
    const posts = ["one", "two"].map((output) => room.answer({ call_trn_1_1: { success: true, output } }));
    const answers = await Promise.all([...posts, room.alarm()]);
    await room.rest();
    expect(answers.slice(0, 2).map((answer) => (answer as { ok: boolean }).ok)).toEqual([true, false]);
    expect([eventsOf(room.turn(), "turn_resumed").length, resultsOf(room.turn())]).toEqual([1, ["one"]]);
  });

  test("[CK8][CK9][EV5] approved, denied, replaced, expired and free calls: results in model order, each by its own decision", async () => {
    const asks = createNoting("asks");
    const free = createNoting("free");
    const room = openSuspensionRoom({ tools: [asks.tool, free.tool], risk: { auto_approve: ["free"] } });
    const batch = [...[1, 2, 3, 4].map((n) => ({ name: "asks", args: { n } })), { name: "free", args: { n: 5 } }];
    await room.run([calls({ name: "nothing" }, ...batch), says("ok")]);
    const [denied, approved, replaced] = room.asked();
    room.evict();
    room.decide({ decision: "replace", replacement: "seven" }, replaced);
    room.decide(approve, approved);
    room.decide({ decision: "deny" }, denied);
    room.pass(120_000);
    await room.alarm();
    await room.rest();
    const turn = room.turn();
    expect(turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []))).toEqual(
      [1, 2, 3, 4, 5, 6].map((n) => `call_trn_1_${n}`),
    );
    const ended = new Map(eventsOf(turn, "tool_result").map((event) => [event.call_id, event.disposition]));
    expect([1, 2, 3, 4, 5, 6].map((n) => ended.get(`call_trn_1_${n}`))).toEqual([
      "unknown_tool",
      "denied",
      "succeeded",
      "replaced",
      "expired",
      "succeeded",
    ]);
    expect([asks.ran, free.ran]).toEqual([[{ n: 2 }], [{ n: 5 }]]);
    expectSound(room.sql);
  });

  test("[CK9] a stored decision holds although the configuration would now ask, or deny, anew", async () => {
    const asks = createNoting("asks");
    const tools = [asks.tool];
    const room = openSuspensionRoom({ tools });
    await room.run([ask(1, 2), says("ok")]);
    room.decide(approve, room.asked()[0]);
    room.evict({ tools, risk: { always_ask: ["*"] } });
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, asks.ran.length]).toEqual(["completed", 2]);
    expect(eventsOf(room.turn(), "approval_requested")).toHaveLength(2);
  });

  test("[CK11] one that cannot be ended keeps no other from ending", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    await room.run([ask(1, 2), says("ok")]);
    const [broken = "", other = ""] = room.asked();
    room.sql.run("UPDATE approvals SET call_id = 'nowhere' WHERE approval_id = ?", broken);
    room.pass(120_000);
    await room.alarm();
    expect(eventsOf(room.turn(), "approval_decided")).toMatchObject([{ approval_id: other, provenance: "expired" }]);
  });

  test("[CK12][HI2] two gated batches: the results of the first are in the prompt after the second", async () => {
    const room = openSuspensionRoom({ tools: [createNoting("asks").tool] });
    await room.run([ask(1), ask(2, 3), says("ok")]);
    await approveAll(room, () => room.evict());
    const prompt = room.provider.requests.at(-1)?.messages ?? [];
    expect(prompt.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool"]);
    expect(prompt.flatMap((message) => (message.role === "tool" ? message.results : []))).toHaveLength(3);
    expect(room.turn().events.at(-1)).toMatchObject({ iterations: 3, usage: { input_tokens: 300 } });
  });
});
