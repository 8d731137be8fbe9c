/** Somebody must decide inside a delegate's frame: the whole turn waits, comes back to the frame in place, and goes on from there. */
import { describe, expect, test } from "vitest";
import { eventsOf } from "../support/core-fixture.ts";
import { comparable, withoutWaiting } from "../support/compare-turns.ts";
import { delegateSetup, handTo, requestsOf, resultsOf, runDelegates, stepsOf } from "../support/delegate-room.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import { approveAll, useStillClock } from "../support/suspension-room.ts";
import { createGate, createNoting, createTool, settle } from "../support/test-tools.ts";

useStillClock();

const day = 86_400_000;
const approve = { decision: "approve" } as const;
const ask = (n: number) => calls({ name: "asks", args: { n } });
const free = createTool("free", ({ n }) => `free ${Number(n)}`);

describe("an approval in a child", () => {
  test("[AP20][DG10][CK12] evicted for a day, approved: the child goes on, then the caller's batch", async () => {
    const asks = createNoting("asks");
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben"), { name: "free", args: { n: 9 } }), says("done")],
        ben: [ask(1), says("Ben is done.")],
      },
      { tools: [asks.tool, free] },
    );
    expect([turn.state, asks.ran, turn.open.approvals.length]).toEqual(["suspended", [], 1]);
    // Behind it in the batch, nothing has started (DI14).
    expect(stepsOf(turn)).toEqual(["ada calls delegate", "turn_suspended"]);
    room.pass(day);
    room.evict();
    room.decide(approve);
    await room.rest();
    const after = room.turn();
    expect([after.state, after.text, resultsOf(after)]).toEqual(["completed", "done", ["Ben is done.", "free 9"]]);
    expect(stepsOf(after)).toEqual([
      "ada calls delegate",
      "turn_suspended",
      "turn_resumed",
      "ben calls asks",
      "ben asks succeeded",
      "ada delegate succeeded",
      "ada calls free",
      "ada free succeeded",
    ]);
    expect(asks.ran).toEqual([{ n: 1 }]);
    expectSound(room.sql);
  });

  test("[AP20][EV10] two levels down: the request names its agent, its caller, the calls that led there", async () => {
    const { room } = await runDelegates(
      {
        ada: [calls(handTo("ben")), says("a")],
        ben: [calls(handTo("cy")), says("b")],
        cy: [ask(1), says("c")],
      },
      { tools: [createTool("asks")] },
    );
    const place = { agent: "cy", parent_agent: "ben", parent_calls: ["call_trn_1_1", "call_trn_1_2"], iteration: 1 };
    expect(eventsOf(room.turn(), "approval_requested")).toMatchObject([{ ...place, call_id: "call_trn_1_3" }]);
    expect(room.turn().open.approvals).toMatchObject([{ agent: "cy", tool: "asks" }]);
    room.evict();
    room.decide(approve);
    await room.rest();
    expect(eventsOf(room.turn(), "approval_decided")).toMatchObject([place]);
    // Of the turn as a whole, its own agent speaks.
    for (const type of ["turn_suspended", "turn_resumed"] as const) {
      expect(eventsOf(room.turn(), type)).toMatchObject([{ agent: "ada" }]);
      expect(eventsOf(room.turn(), type)[0]).not.toHaveProperty("parent_agent");
    }
    expect(resultsOf(room.turn())).toEqual(["b"]);
    expectSound(room.sql);
  });

  test.each([
    [{ decision: "deny", note: "not today" }, "denied", "not today"],
    [{ decision: "replace", replacement: "Take 7." }, "replaced", "Take 7."],
  ] as const)("[DG10][CK6] %j reaches the child's model", async (decision, disposition, words) => {
    const { room } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [ask(1), says("b")] },
      { tools: [createTool("asks")] },
    );
    room.evict();
    room.decide(decision);
    await room.rest();
    expect(stepsOf(room.turn())).toContain(`ben asks ${disposition}`);
    expect(JSON.stringify(requestsOf(room, "ben").at(-1)?.messages)).toContain(words);
    expect(resultsOf(room.turn())).toEqual(["b"]);
  });

  test("[CK6][CK12] it expires, and the child goes on without it", async () => {
    const { room } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [ask(1), ask(2), says("b")] },
      { tools: [createTool("asks")] },
    );
    room.pass(31 * day);
    await room.alarm();
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    room.evict();
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, resultsOf(room.turn())]).toEqual(["completed", ["b"]]);
    const told = JSON.stringify(requestsOf(room, "ben").at(-1)?.messages);
    expect(told).toContain("call_trn_1_2");
    expect(told).toContain("call_trn_1_3");
  });

  test("[AP14][DG5][SE27] the caller's \"always\" does not reach its delegate, nor the delegate's its caller", async () => {
    const { room } = await runDelegates(
      { ada: [ask(1), calls(handTo("ben")), ask(3), says("a")], ben: [ask(2), says("b")] },
      { tools: [createTool("asks")] },
    );
    room.decide({ decision: "always" });
    await room.rest();
    expect(room.turn().open.approvals).toMatchObject([{ agent: "ben" }]);
    room.decide({ decision: "always" });
    await room.rest();
    expect(eventsOf(room.turn(), "approval_requested").map(({ agent }) => agent)).toEqual(["ada", "ben"]);
    expect(room.turn().state).toBe("completed");
  });

  test("[CP16][RX8] a prompt refused in one frame is remembered in the others, over evictions", async () => {
    const shell = createNoting("shell");
    const run = { name: "shell", args: { n: 1 } };
    const { room } = await runDelegates(
      { ada: [calls(run), calls(handTo("ben")), says("a")], ben: [calls(run)] },
      { tools: [shell.tool] },
    );
    room.evict();
    room.decide({ decision: "deny" });
    await room.rest();
    expect([room.turn().state, shell.ran]).toEqual(["completed", []]);
    expect(resultsOf(room.turn())[1]).toMatch(
      /^The agent ended without a full answer: repeated_prompt\. It left this:/,
    );
    expectSound(room.sql);
  });
});

describe("a client call in a child", () => {
  test("[DG10][DI11][EX14] the turn waits for it, and the child goes on with what the client says", async () => {
    const { room, turn } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [calls({ name: "pick", args: {} }), ask(1), says("b")] },
      { tools: [createTool("asks")], clientTools: ["pick"], risk: { auto_approve: ["delegate", "pick"] } },
    );
    expect(turn.open.clientCalls).toMatchObject([{ callId: "call_trn_1_2", tool: "pick" }]);
    expect(eventsOf(turn, "client_tool_requested")).toMatchObject([{ agent: "ben", parent_calls: ["call_trn_1_1"] }]);
    room.evict();
    await room.answer({ call_trn_1_2: { success: true, output: "the red one" } });
    await room.rest();
    expect(eventsOf(room.turn(), "tool_result")).toMatchObject([{ agent: "ben", disposition: "client_result" }]);
    await approveAll(room, () => room.evict());
    expect([room.turn().state, resultsOf(room.turn())]).toEqual(["completed", ["b"]]);
    expect(JSON.stringify(requestsOf(room, "ben").at(-1)?.messages)).toContain("the red one");
    expectSound(room.sql);
  });
});

describe("beside others", () => {
  const parallel = { runtime: { parallel_tools: true } };

  test("[DI14][DG11] one child asks while its sibling runs; decided before the sibling ends, it goes on in the same run", async () => {
    const gate = createGate();
    const slow = createTool("free", async () => (await gate.opened, "free"));
    const setup = { tools: [createTool("asks"), slow], ...parallel };
    const ran = runDelegates(
      {
        ada: [calls(handTo("ben"), handTo("cy")), says("a")],
        ben: [ask(1), says("b")],
        cy: [calls({ name: "free" }), says("c")],
      },
      setup,
      {
        meanwhile: (room) => {
          void settle().then(() => {
            expect(room.turn().state).toBe("running");
            room.decide(approve, eventsOf(room.turn(), "approval_requested")[0]?.approval_id);
            gate.open();
          });
        },
      },
    );
    const { room, turn } = await ran;
    expect([turn.state, resultsOf(turn)]).toEqual(["completed", ["b", "c"]]);
    expect(stepsOf(turn)).not.toContain("turn_suspended");
    expectSound(room.sql);
  });

  test("[DI14] what runs beside it comes to its end before the turn waits; nothing of it runs again", async () => {
    const gate = createGate();
    const noting = createNoting("free");
    const slow = {
      ...noting.tool,
      execute: async (...given: Parameters<typeof noting.tool.execute>) => {
        await gate.opened;
        return noting.tool.execute(...given);
      },
    };
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben"), { name: "free", args: { n: 1 } }, handTo("cy")), says("a")],
        ben: [ask(1), says("b")],
        cy: [ask(2), says("c")],
      },
      { tools: [createTool("asks"), slow], ...parallel },
      { meanwhile: () => void settle().then(() => gate.open()) },
    );
    expect(turn.open.approvals.map(({ agent }) => agent)).toEqual(["ben", "cy"]);
    expect(stepsOf(turn).slice(-2)).toEqual(["ada free succeeded", "turn_suspended"]);
    room.evict();
    const [first = "", second = ""] = room.asked();
    room.decide(approve, second);
    expect(room.turn().state).toBe("suspended");
    room.evict();
    room.decide(approve, first);
    await room.rest();
    expect([room.turn().state, resultsOf(room.turn()), noting.ran]).toEqual([
      "completed",
      ["b", "free ran", "c"],
      [{ n: 1 }],
    ]);
    expectSound(room.sql);
  });
});

test("[CK10][RX4] waited for in every frame, evicted each time, or decided at once, or never asked: the same turn", async () => {
  const run = async (risk: object, before: "evict" | "stay") => {
    const { room } = await runDelegates(
      {
        ada: [ask(1), calls(handTo("ben")), ask(6), says("a")],
        ben: [ask(2), calls(handTo("cy"), { name: "asks", args: { n: 4 } }), says("b")],
        cy: [ask(3), ask(3), says("c")],
      },
      delegateSetup({ tools: [createTool("asks", ({ n }) => `asked ${Number(n)}`)], risk }),
    );
    await approveAll(room, () => (before === "evict" ? (room.pass(day), room.evict()) : undefined));
    expectSound(room.sql);
    return room.turn();
  };
  const [slow, instant, never] = [await run({}, "evict"), await run({}, "stay"), await run({ level: "full" }, "stay")];
  expect(comparable(slow)).toEqual(comparable(instant));
  expect(withoutWaiting(slow)).toEqual(withoutWaiting(never));
  expect(slow.state).toBe("completed");
});
