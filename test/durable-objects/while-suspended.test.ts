/** What else may happen to a turn that waits: a cancel, a word from its user, another turn. */
import { describe, expect, test } from "vitest";
import type { OnBusy } from "../../src/contracts/turn.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { calls, callOf, finish, says, text } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createGate, createNoting, createTool, settle } from "../support/test-tools.ts";

useStillClock();

const asksTool = () => createNoting("asks");
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));
const freeRisk = { auto_approve: ["free"] };

describe("cancel", () => {
  const openMixed = async () => {
    const asks = asksTool();
    const free = createNoting("free");
    const room = openSuspensionRoom({ tools: [asks.tool, free.tool], risk: freeRisk });
    const batch = [callOf({ name: "asks", args: { n: 1 } }), callOf({ name: "free" }), callOf({ name: "asks" })];
    await room.run([[text("Let me see."), ...batch, callOf({ name: "nothing" }), finish("tool_calls")]]);
    return { room, asks, free };
  };

  test.each([
    ["in place", false],
    ["after an eviction", true],
  ])(
    "[DI8][CK13][DI10][AP13] two open approvals and an auto-approved call, %s: two cancelled, one interrupted, none ran",
    async (_where, evicted) => {
      const { room, asks, free } = await openMixed();
      if (evicted) room.evict();
      expect(room.cancel().ok).toBe(true);
      await room.rest();
      const turn = room.turn();
      expect([turn.state, turn.reason, turn.text]).toEqual(["cancelled", "cancel", ""]);
      const told = turn.events.flatMap((event) =>
        event.type === "tool_result" ? [[event.call_id, event.disposition]] : [],
      );
      expect(new Map(told as [string, string][])).toEqual(
        new Map([
          ["call_trn_1_4", "unknown_tool"],
          ["call_trn_1_1", "cancelled"],
          ["call_trn_1_2", "interrupted"],
          ["call_trn_1_3", "cancelled"],
        ]),
      );
      expect([asks.ran, free.ran, room.provider.requests.length]).toEqual([[], [], 1]);
      expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "tool", "tool", "tool"]);
      expect(resultsOf(turn)[1]).toMatch(/not run/);
      expect(eventsOf(turn, "turn_resumed")).toEqual([]);
      expect(turn.events.at(-1)?.type).toBe("turn_finished");
    },
  );

  test("[EV4][DI8] the pair of a call that was cancelled while it was asked about names its tool and prepared arguments", async () => {
    const { room } = await openMixed();
    room.cancel();
    await room.rest();
    const [pending] = eventsOf(room.turn(), "tool_call").filter(({ call_id }) => call_id === "call_trn_1_1");
    expect(pending).toMatchObject({ tool: "asks", tool_origin: "code", arguments: { n: 1 }, index: 0 });
  });

  test("[CK13] of a call that was decided already: the decision stands in the log, and it does not run", async () => {
    const asks = asksTool();
    const room = openSuspensionRoom({ tools: [asks.tool] });
    await room.run([ask(1, 2, 3)]);
    const [approved = "", denied = ""] = room.asked();
    room.decide({ decision: "approve" }, approved);
    room.decide({ decision: "deny" }, denied);
    room.cancel();
    await room.rest();
    const results = new Map(eventsOf(room.turn(), "tool_result").map((event) => [event.call_id, event.disposition]));
    expect([1, 2, 3].map((n) => results.get(`call_trn_1_${n}`))).toEqual(["interrupted", "denied", "cancelled"]);
    expect([asks.ran, room.turn().state]).toEqual([[], "cancelled"]);
  });

  test("[CK13][AP6] twice is once; a deadline or an alarm behind it changes nothing", async () => {
    const { room } = await openMixed();
    room.cancel();
    room.cancel();
    await room.rest();
    const before = room.turn();
    room.pass(120_000);
    await room.alarm();
    room.cancel();
    await room.rest();
    expect(room.turn()).toEqual(before);
    expect(eventsOf(before, "turn_finished")).toHaveLength(1);
  });

  test("[DI8] of a resumed turn, in the middle of its batch: what ran keeps its result, the others in their two wordings", async () => {
    const gate = createGate();
    const it = defineTool({
      name: "asks",
      description: "It.",
      input: { type: "object", properties: { n: { type: "integer" } } },
      execute: async ({ n }) => {
        if (Number(n) === 2) await gate.opened;
        return `ran ${Number(n)}`;
      },
    });
    const room = openSuspensionRoom({ tools: [it] });
    await room.run([ask(1, 2, 3)]);
    room.evict();
    for (const approval of room.asked()) room.decide({ decision: "approve" }, approval);
    await settle();
    room.cancel();
    await room.rest();
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn)]).toEqual(["cancelled", ["succeeded", "interrupted", "interrupted"]]);
    expect(resultsOf(turn)).toEqual([
      expect.stringMatching(/^ran 1/),
      expect.stringMatching(/may or may not/),
      expect.stringMatching(/not run/),
    ]);
    gate.open();
  });
});

describe("steering", () => {
  test("[LC26][HI11] while an approval is open: used after re-entry, behind the round, in order, each once", async () => {
    const asks = asksTool();
    const room = openSuspensionRoom({ tools: [asks.tool] });
    await room.run([ask(1), says("ok")]);
    expect(room.steer("and in euros").ok).toBe(true);
    room.evict();
    expect(room.steer("please").ok).toBe(true);
    expect([room.turn().state, eventsOf(room.turn(), "steering")]).toEqual(["suspended", []]);
    room.decide({ decision: "approve" });
    await room.rest();
    const turn = room.turn();
    expect(eventsOf(turn, "steering").map((event) => event.text)).toEqual(["and in euros", "please"]);
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "user", "user", "assistant"]);
    expect(asks.ran).toEqual([{ n: 1 }]);
  });

  test("[LC27] for a turn that is cancelled while it waits: a turn of its own, once", async () => {
    const room = openSuspensionRoom({ tools: [asksTool().tool] });
    await room.run([ask(1)]);
    room.steer("never mind");
    room.provider.script(says("Sure."));
    room.cancel();
    await room.rest();
    expect([room.turn().state, room.turn("trn_2").text]).toEqual(["cancelled", "Sure."]);
    expect(eventsOf(room.turn("trn_2"), "turn_accepted")).toMatchObject([{ entry: "steering", input: "never mind" }]);
    expect(eventsOf(room.turn(), "steering")).toEqual([]);
  });

  test("[LC27] after the last iteration began, over a suspension: a queued turn", async () => {
    const room = openSuspensionRoom({ tools: [asksTool().tool], runtime: { max_tool_iterations: 1 } });
    await room.run([ask(1), says("That is all."), says("In euros.")]);
    room.steer("and in euros");
    room.decide({ decision: "approve" });
    await room.rest();
    expect([room.turn().state, room.turn("trn_2").text]).toEqual(["capped", "In euros."]);
  });
});

describe("another turn", () => {
  const busy = async (onBusy: OnBusy) => {
    const asks = asksTool();
    const room = openSuspensionRoom({ tools: [asks.tool] });
    await room.run([ask(1)]);
    room.provider.script(says("first"), says("second"));
    const posted = room.post("second", { onBusy });
    await room.rest();
    return { room, asks, posted };
  };

  test("[LC28] `queue`: it waits for the suspended one", async () => {
    const { room, posted } = await busy("queue");
    expect([posted, room.turn().state, room.turn("trn_2").state]).toEqual(["trn_2", "suspended", "queued"]);
    room.evict();
    room.decide({ decision: "approve" });
    await room.rest();
    expect([room.turn().text, room.turn("trn_2").text]).toEqual(["first", "second"]);
  });

  test("[LC28] `reject`: it is refused, and nothing else happens", async () => {
    const { room, posted } = await busy("reject");
    expect([posted, room.turn().state]).toEqual(["turn-busy", "suspended"]);
    expect(() => room.turn("trn_2")).toThrow("no turn");
  });

  test("[LC28][LC26] `steer`: its input becomes a message for the suspended one", async () => {
    const { room, posted } = await busy("steer");
    expect(posted).toBe("trn_1");
    room.decide({ decision: "approve" });
    await room.rest();
    expect(eventsOf(room.turn(), "steering")).toMatchObject([{ text: "second" }]);
    expect(() => room.turn("trn_2")).toThrow("no turn");
  });

  test("[LC28][AP8] `interrupt`: the suspended one ends, its approvals superseded, and the new one runs", async () => {
    const { room, asks } = await busy("interrupt");
    const first = room.turn();
    expect([first.state, first.reason, dispositionsOf(first)]).toEqual(["cancelled", "interrupt", ["cancelled"]]);
    expect(eventsOf(first, "approval_decided")).toMatchObject([{ provenance: "superseded", decision: null }]);
    expect([room.turn("trn_2").text, asks.ran]).toEqual(["first", []]);
  });

  test("[LC28] `interrupt` of one that runs: it is cancelled, then the new one runs", async () => {
    const hangs = createTool("hangs", () => new Promise(() => undefined));
    const room = openSuspensionRoom({ tools: [hangs], risk: { level: "full" } });
    room.provider.script(calls({ name: "hangs" }), says("second"));
    room.post();
    await settle();
    room.post("second", { onBusy: "interrupt" });
    await room.rest();
    expect([room.turn().state, room.turn().reason, room.turn("trn_2").text]).toEqual([
      "cancelled",
      "interrupt",
      "second",
    ]);
  });
});
