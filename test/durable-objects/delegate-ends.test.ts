/** Turns with delegates that are cancelled, changed under, found unreadable or broken by a bug: every call has its end, history stays valid. */
import { describe, expect, test, vi } from "vitest";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { delegateSetup, handTo, resultsOf, runDelegates, stepsOf } from "../support/delegate-room.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import { useStillClock } from "../support/suspension-room.ts";
import { createGate, createNoting, createTool, settle } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const askBelow = {
  ada: [calls(handTo("ben"), { name: "free", args: {} }), says("a")],
  ben: [calls(handTo("cy"), { name: "free", args: {} }), says("b")],
  cy: [calls({ name: "asks" }, { name: "free", args: {} }), says("c")],
};

describe("a cancel", () => {
  // In each frame, what never started first: its result stands in no relation to what runs below.
  const closed = [
    "ada calls free",
    "ada free interrupted",
    "ben calls free",
    "ben free interrupted",
    "cy calls asks",
    "cy asks cancelled",
    "cy calls free",
    "cy free interrupted",
    "ben delegate interrupted",
    "ada delegate interrupted",
  ];

  test.each(["stays", "is evicted"])(
    "[CK13][DG10][DI8] while somebody is asked two levels down, the object %s: nothing runs",
    async (how) => {
      const tools = [createNoting("asks"), createNoting("free")];
      const { room } = await runDelegates(askBelow, { tools: tools.map(({ tool }) => tool) });
      if (how === "is evicted") room.evict();
      const [asked] = room.asked();
      room.cancel();
      await room.rest();
      expect(room.turn().state).toBe("cancelled");
      expect(stepsOf(room.turn()).slice(-closed.length)).toEqual(closed);
      expect(tools.flatMap(({ ran }) => ran)).toEqual([]);
      expect(room.decide(approve, asked).ok).toBe(false);
      expectSound(room.sql);
      room.provider.drop();
      await room.run([says("next")]);
      expect(room.turn("trn_2").text).toBe("next");
    },
  );

  test("[CK13][DI8] while a client is asked in a child", async () => {
    const { room } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [calls({ name: "pick", args: {} }), says("b")] },
      { clientTools: ["pick"], risk: { auto_approve: ["*"] } },
    );
    room.evict();
    room.cancel();
    await room.rest();
    expect([room.turn().state, dispositionsOf(room.turn())]).toEqual(["cancelled", ["interrupted", "interrupted"]]);
    expectSound(room.sql);
  });

  test("[DI6][DI7][DG10] while a child's tool runs beside a sibling that is asked about: one end each, within the turn's", async () => {
    const hangs = createTool("hangs", () => new Promise(() => undefined));
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben"), handTo("cy")), says("a")],
        ben: [calls({ name: "hangs" }), says("b")],
        cy: [calls({ name: "asks" }), says("c")],
      },
      {
        tools: [hangs, createTool("asks")],
        risk: { auto_approve: ["delegate", "hangs"] },
        runtime: { parallel_tools: true },
      },
      { meanwhile: (opened) => void settle().then(() => opened.cancel()) },
    );
    expect(turn.state).toBe("cancelled");
    expect(stepsOf(turn)).not.toContain("turn_suspended");
    expect(dispositionsOf(turn).filter((disposition) => disposition === "interrupted")).toHaveLength(3);
    expect(stepsOf(turn)).toContain("cy asks cancelled");
    expectSound(room.sql);
  });

  test("[DI6][DG10] while a child's model speaks: what it had said stays in its frame, the call is interrupted", async () => {
    const gate = createGate();
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben")), says("a")],
        ben: [
          async function* speak() {
            yield { type: "text", text: "half a " } as const;
            await gate.opened;
            yield { type: "text", text: "sentence" } as const;
          },
        ],
      },
      {},
      {
        meanwhile: (opened) =>
          void settle().then(() => {
            opened.cancel();
            gate.open();
          }),
      },
    );
    expect([turn.state, turn.text, dispositionsOf(turn)]).toEqual(["cancelled", "", ["interrupted"]]);
    expectSound(room.sql);
  });
});

describe("a configuration that changed while a child waited", () => {
  const runOver = async (after: RoomSetup) => {
    const tools = [createNoting("asks"), createNoting("free")];
    const setup = { tools: tools.map(({ tool }) => tool) };
    const { room } = await runDelegates(askBelow, setup);
    room.evict(delegateSetup({ ...setup, ...after }));
    room.decide(approve);
    await room.rest();
    expectSound(room.sql);
    return { turn: room.turn(), ran: tools.flatMap(({ ran }) => ran) };
  };

  test.each([
    ["the target is disabled", { agents: { ben: { enabled: false }, cy: {} } }],
    ["the target is gone", { agents: { cy: {} } }],
    ["the target is out of reach", { agents: { ben: { risk_profile: "far" }, cy: {} }, risks: { far: {} } }],
    ["delegation is forbidden", { risk: { delegation_policy: { mode: "forbidden" } } }],
    ["delegate is excluded", { risk: { excluded_tools: ["delegate"] } }],
    ["the level is lower", { risk: { level: "read_only" } }],
    ["no depth is left", { runtime: { max_delegation_depth: 0 } }],
  ] as const satisfies readonly (readonly [string, RoomSetup])[])(
    "[RX7][RX14][EV2] %s: its frames are closed, nothing of them runs, and the caller goes on",
    async (_what, after) => {
      const { turn } = await runOver(after);
      expect([turn.state, turn.text]).toEqual(["completed", "a"]);
      expect(resultsOf(turn)[0]).toMatch(/^"ben" cannot be delegated to/);
      expect(stepsOf(turn)).toContain("cy asks interrupted");
      expect(stepsOf(turn)).toContain("ada delegate failed");
    },
  );

  test("[RX7] the lower target alone is gone: its caller is told, and goes on", async () => {
    const { turn, ran } = await runOver({ agents: { ben: {}, cy: { enabled: false }, dot: {} } });
    expect([turn.state, resultsOf(turn)[0]]).toEqual(["completed", "b"]);
    expect(stepsOf(turn)).toContain("ben delegate failed");
    // `ben` and `ada` run what they had behind it, `cy` nothing.
    expect(ran).toHaveLength(2);
  });

  test("[RX7][RX13] a child that begins afterwards has what its caller is pinned to, not what the caller would have now", async () => {
    const later = createNoting("later");
    const asks = createTool("asks");
    const script = {
      ada: [calls({ name: "asks" }), calls(handTo("ben")), says("a")],
      ben: [calls({ name: "later" }), says("b")],
    };
    const setup = { tools: [asks, later.tool], risk: { excluded_tools: ["later"] } };
    const { room } = await runDelegates(script, setup);
    room.evict(delegateSetup({ tools: [asks, later.tool], risk: { level: "full" } }));
    room.decide(approve);
    await room.rest();
    expect(stepsOf(room.turn())).toContain("ben later not_available");
    expect(later.ran).toEqual([]);
  });

  test("[RX7][DG2] an agent that comes into reach meanwhile is not reached by the turn that waited", async () => {
    const asks = createTool("asks");
    const script = { ada: [calls({ name: "asks" }), calls(handTo("dot")), says("a")], dot: [says("d")] };
    const { room } = await runDelegates(script, { tools: [asks], agents: { ben: {}, dot: { enabled: false } } });
    room.evict(delegateSetup({ tools: [asks], agents: { ben: {}, dot: {} } }));
    room.decide(approve);
    await room.rest();
    expect(resultsOf(room.turn())[1]).toBe('"dot" cannot be delegated to. Agents that can: ben.');
  });
});

test.each([
  ["checkpoint", "UPDATE steps SET checkpoint = ? WHERE frame <> ''"],
  ["pins", `UPDATE frames SET record = ? WHERE frame = 'call_trn_1_3'`],
])(
  "[CK18] a child's %s that no release can read: the turn ends before anything goes on, every call has its end",
  async (_what, statement) => {
    const tools = [createNoting("asks"), createNoting("free")];
    const { room } = await runDelegates(askBelow, { tools: tools.map(({ tool }) => tool) });
    const record = { depth: 2, agent: "cy", parentAgent: "ben", parentCalls: ["call_trn_1_1", "call_trn_1_3"] };
    const unreadable = JSON.stringify({ version: 99, ...record, pinned: { version: 99 } });
    room.sql.run(statement, new TextEncoder().encode(unreadable));
    room.evict();
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, room.turn().reason]).toEqual(["failed", "checkpoint_version"]);
    expect(tools.flatMap(({ ran }) => ran)).toEqual([]);
    expectSound(room.sql);
  },
);

test("[LC31] a bug in a child ends the turn: what had started is of unknown outcome, the rest is not run, all is in history", async () => {
  const broken = createTool("broken", () => "x");
  const { room, turn } = await runDelegates(
    {
      ada: [calls(handTo("ben"), { name: "free", args: {} })],
      ben: [
        () => ({
          [Symbol.asyncIterator]: () => {
            throw new Error("a bug");
          },
        }),
      ],
    },
    { tools: [broken, createTool("free")] },
  );
  expect([turn.state, turn.reason]).toEqual(["failed", "internal"]);
  expect(dispositionsOf(turn)).toEqual(["outcome_unknown", "interrupted"]);
  expect(eventsOf(turn, "turn_finished")).toHaveLength(1);
  expect(vi.mocked(console.error)).toHaveBeenCalledWith(expect.stringContaining("turn_internal"));
  expectSound(room.sql);
});
