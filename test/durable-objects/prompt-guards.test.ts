/** Guards around prompts, over suspension: nobody is asked twice in a batch, nor again for what was turned down. */
import { describe, expect, test } from "vitest";
import type { DecisionInput } from "../../src/contracts/approval.ts";
import { defineHook } from "../../src/config.ts";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { callOf, calls, finish, says, text } from "../support/scripted-provider.ts";
import { type SuspensionRoom, openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const approve: DecisionInput = { decision: "approve" };
const pwd = { name: "shell", args: { command: "pwd" } };
const expire = async (room: SuspensionRoom): Promise<void> => {
  room.pass(120_000);
  await room.alarm();
};

describe("in one batch", () => {
  test.each([
    ["plainly", {}],
    ["though its tool is exempt", { tool_call_dedup_exempt: ["shell"] }],
    ["though the guard is off", { dedup_enabled: false }],
  ])("[CP15] the same call twice, %s: one request, one run, one duplicate with its pair", async (_how, runtime) => {
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [shell.tool], runtime });
    await room.run([calls(pwd, pwd), says("ok")]);
    expect(room.asked()).toEqual(["apr_call_trn_1_1"]);
    room.decide(approve);
    await room.rest();
    expect(dispositionsOf(room.turn())).toEqual(["duplicate", "succeeded"]);
    expect([shell.ran.length, eventsOf(room.turn(), "tool_call").length]).toEqual([1, 2]);
    expect(resultsOf(room.turn())[1]).toContain("call_trn_1_1");
  });

  test.each([
    ["without `repeat_guard`, exempt by name", "asks", { tool_call_dedup_exempt: ["asks"] }],
    ["that starts frames of its own", "delegate", {}],
  ])("[CP15][CP18] a tool %s: both are asked about, and both run", async (_which, name, runtime) => {
    const asks = createNoting(name);
    const room = openSuspensionRoom({ tools: [asks.tool], runtime });
    await room.run([calls({ name }, { name }), says("ok")]);
    for (const approval of room.asked()) room.decide(approve, approval);
    await room.rest();
    expect(asks.ran).toHaveLength(2);
  });

  test("[CP19][CP15] calls that were settled before they could be judged keep none of their kind from anything", async () => {
    const shell = createNoting("shell");
    let met = 0;
    const once = defineHook({
      name: "once",
      on: "before_tool_call",
      run: () => ((met += 1) === 1 ? { cancel: "not the first" } : undefined),
    });
    const room = openSuspensionRoom({ tools: [shell.tool], hooks: [once] });
    await room.run([calls(pwd, pwd), says("ok")]);
    expect(room.asked()).toEqual(["apr_call_trn_1_2"]);
    room.decide(approve);
    await room.rest();
    expect([dispositionsOf(room.turn()), shell.ran.length]).toEqual([["hook_cancelled", "succeeded"], 1]);
  });

  test("[CP19] a call that was denied while the batch waited keeps none of its kind from running", async () => {
    const free = createNoting("free");
    const asks = { name: "asks", args: {} };
    const tools = [free.tool, createTool("asks")];
    const runtime = { tool_call_dedup_exempt: ["asks"] };
    const room = openSuspensionRoom({ tools, runtime, risk: { auto_approve: ["free"] } });
    await room.run([calls(asks, asks, { name: "free" }, { name: "free" }), says("ok")]);
    const [first, second] = room.asked();
    room.decide({ decision: "deny" }, first);
    room.decide(approve, second);
    await room.rest();
    expect(dispositionsOf(room.turn())).toEqual(["denied", "duplicate", "succeeded", "succeeded"]);
    expect(free.ran).toHaveLength(1);
  });
});

describe("over a turn", () => {
  /** The same call in two iterations; between them the first is ended by `end`. */
  const runTwice = async (
    end: (room: SuspensionRoom) => unknown,
    { runtime = {}, name = "shell" }: { readonly runtime?: object; readonly name?: string } = {},
  ) => {
    const it = createNoting(name);
    const room = openSuspensionRoom({ tools: [it.tool], runtime });
    await room.run([calls({ ...pwd, name }), calls({ ...pwd, name }), says("ok")]);
    room.evict();
    await end(room);
    await room.rest();
    return { room, it, turn: room.turn() };
  };
  const decided = (decision: DecisionInput) => (room: SuspensionRoom) => room.decide(decision);
  const deny = decided({ decision: "deny" });

  test.each([
    ["denied", deny, {}],
    ["denied, and its tool exempt", deny, { tool_call_dedup_exempt: ["*"] }],
    ["denied, and the guard off", deny, { dedup_enabled: false }],
    ["expired", expire, {}],
  ] as const)(
    "[CP16][LC20] %s, then asked for again: one request, refused, and the turn stops",
    async (_what, end, runtime) => {
      const { room, it, turn } = await runTwice(end, { runtime });
      expect([turn.state, turn.reason, it.ran]).toEqual(["stopped", "repeated_prompt", []]);
      expect(dispositionsOf(turn)[1]).toBe("refused");
      expect(eventsOf(turn, "approval_requested")).toHaveLength(1);
      expect(room.provider.requests).toHaveLength(2);
      expect(turn.history.map(({ kind }) => kind)).toEqual(["user", ...round, ...round, "assistant"]);
      expect(turn.history.at(-1)).toMatchObject({ text: turn.text });
      expect(turn.text).not.toBe("");
    },
  );

  const round = ["assistant", "tool"] as const;

  test.each([
    ["approved", decided(approve), {}],
    ["replaced", decided({ decision: "replace", replacement: "x" }), {}],
    ["denied, by a low-risk tool without `repeat_guard`", deny, { name: "low" }],
  ] as const)("[CP16] %s: it prompts again", async (_what, end, how) => {
    const { room, turn } = await runTwice(end, how);
    expect([turn.state, room.asked()]).toEqual(["suspended", ["apr_call_trn_1_2"]]);
  });

  test("[CP16] what a rule denied is not asked for again either", async () => {
    const room = openSuspensionRoom({ tools: [createTool("shell")] });
    const turn = await room.run([calls(pwd), calls(pwd)], { narrowing: { approvals: "deny" } });
    expect([turn.state, turn.reason, dispositionsOf(turn)]).toEqual([
      "stopped",
      "repeated_prompt",
      ["denied", "refused"],
    ]);
  });

  test("[CP16] other arguments are another question; the next turn may ask anew", async () => {
    const shell = createTool("shell");
    const room = openSuspensionRoom({ tools: [shell] });
    const ls = { name: "shell", args: { command: "ls" } };
    await room.run([calls(pwd), calls(ls), says("ok")]);
    room.decide({ decision: "deny" });
    await room.rest();
    expect(room.asked()).toEqual(["apr_call_trn_1_2"]);
    room.decide({ decision: "deny" });
    await room.rest();
    await room.run([calls(pwd), says("ok")]);
    expect(room.asked()).toEqual(["apr_call_trn_2_1"]);
  });

  test("[LC20][RX8] the batch of a repeated prompt: settled calls keep their slots, the rest is not run, nobody is asked", async () => {
    const shell = createNoting("shell");
    const free = createNoting("free");
    const room = openSuspensionRoom({ tools: [shell.tool, free.tool], risk: { auto_approve: ["free"] } });
    const other = { name: "shell", args: { command: "ls" } };
    const batch = [callOf({ name: "nothing" }), callOf(other), callOf({ name: "free" }), callOf(pwd), callOf(other)];
    await room.run([calls(pwd), [text("Again."), ...batch, callOf({ name: "free" }), finish("tool_calls")]]);
    room.evict();
    room.decide({ decision: "deny" });
    await room.rest();
    const turn = room.turn();
    const inOrder = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
    expect(inOrder).toEqual([1, 2, 3, 4, 5, 6, 7].map((n) => `call_trn_1_${n}`));
    expect(dispositionsOf(turn).slice(1)).toEqual([
      "unknown_tool",
      "interrupted",
      "interrupted",
      "refused",
      "interrupted",
      "interrupted",
    ]);
    expect([turn.reason, shell.ran, free.ran, room.asked()]).toEqual(["repeated_prompt", [], [], []]);
    expect(resultsOf(turn)[2]).toMatch(/not run/);
  });
});

describe("the approval marker", () => {
  test.each([
    ["a person approved", {}, "approve", true],
    ["a person said always", {}, "always", true],
    ["a rule approved", { auto_approve: ["shell"] }, undefined, true],
    ["the level approves everything", { level: "full" }, undefined, true],
    ["nothing was required", { level: "read_only" }, undefined, false],
  ] as const)("[CP17] when %s", async (...[_when, risk, decision, approved]) => {
    const shell = createNoting("shell", { readOnly: true, repeatGuard: false });
    const room = openSuspensionRoom({ tools: [shell.tool], risk: { ...risk } });
    await room.run([calls({ name: "shell", args: { command: "pwd", approved: !approved } }), says("ok")]);
    if (decision !== undefined) room.decide({ decision });
    await room.rest();
    expect(shell.ran).toEqual([{ command: "pwd", approved }]);
  });

  test("[CP17] by an `always` of an earlier turn", async () => {
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [shell.tool] });
    await room.run([calls(pwd), says("ok")]);
    room.decide({ decision: "always" });
    await room.rest();
    await room.run([calls(pwd), says("ok")]);
    expect(shell.ran).toEqual([1, 2].map(() => ({ command: "pwd", approved: true })));
  });

  test.each([
    ["denied by a person", {}],
    ["denied by a rule", { narrowing: { approvals: "deny" } }],
  ] as const)(
    "[CP11][EV4] the model's own `approved` is in no request and no event, also of a call that is %s",
    async (_how, how) => {
      const shell = createNoting("shell");
      const room = openSuspensionRoom({ tools: [shell.tool] });
      const asked = await room.run(
        [calls({ name: "shell", args: { approved: true, command: "pwd" } }), says("ok")],
        how,
      );
      for (const request of eventsOf(asked, "approval_requested"))
        expect(request.arguments).toEqual({ command: "pwd" });
      for (const approval of room.asked()) room.decide({ decision: "deny" }, approval);
      await room.rest();
      expect([shell.ran, room.turn().state]).toEqual([[], "completed"]);
      expect(eventsOf(room.turn(), "tool_call")).toMatchObject([{ arguments: { command: "pwd" } }]);
      expect(eventsOf(room.turn(), "tool_call")[0]?.arguments).not.toHaveProperty("approved");
    },
  );
});
