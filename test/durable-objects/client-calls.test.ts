/** Client calls over the real object: requested together, answered or not, once, and never signed. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting } from "../support/test-tools.ts";

useStillClock();

const full = { risk: { level: "full" } } as const;
const ok = (output: string) => ({ success: true, output }) as const;
const theirs = (n = 1) => ({ name: "pick", args: { n } });

describe("requests", () => {
  test("[DI11][EV6] server, client, server: both server calls, then one suspension; model order in history", async () => {
    const ours = createNoting("ours");
    const room = openSuspensionRoom({ ...full, tools: [ours.tool], clientTools: ["pick"] });
    const batch = [{ name: "ours", args: { n: 1 } }, theirs(), { name: "ours", args: { n: 2 } }];
    const waiting = await room.run([calls(...batch), says("ok")]);
    expect(ours.ran).toEqual([{ n: 1 }, { n: 2 }]);
    expect(waiting.events.slice(-4).map(({ type }) => type)).toEqual([
      "tool_result",
      "tool_call",
      "client_tool_requested",
      "turn_suspended",
    ]);
    expect(waiting.events.at(-1)).toMatchObject({ reason: "client_tool", call_ids: ["call_trn_1_2"] });
    expect(waiting.history.map(({ kind }) => kind)).toEqual(["user"]);
    await room.answer({ call_trn_1_2: ok("blue") });
    await room.rest();
    const turn = room.turn();
    expect(turn.state).toBe("completed");
    const inOrder = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
    expect(inOrder).toEqual(["call_trn_1_1", "call_trn_1_2", "call_trn_1_3"]);
    expect(resultsOf(turn)[1]).toBe("blue");
  });

  test("[DI11][EV7] several of a batch are requested in call order, and wait for the last of them", async () => {
    const room = openSuspensionRoom({ ...full, clientTools: ["pick"] });
    const waiting = await room.run([calls(theirs(1), theirs(2)), says("ok")]);
    const seen = waiting.events.filter(({ type }) => type === "tool_call" || type === "client_tool_requested");
    expect(seen.map((event) => [event.type, "call_id" in event && event.call_id])).toEqual([
      ["tool_call", "call_trn_1_1"],
      ["client_tool_requested", "call_trn_1_1"],
      ["tool_call", "call_trn_1_2"],
      ["client_tool_requested", "call_trn_1_2"],
    ]);
    await room.answer({ call_trn_1_2: ok("second") });
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    room.evict();
    await room.answer({ call_trn_1_1: ok("first") });
    await room.rest();
    expect([room.turn().state, resultsOf(room.turn())]).toEqual(["completed", ["first", "second"]]);
  });

  test("[DI12] one goes through preparation and gate like any other: duplicate, asked about, denied", async () => {
    const room = openSuspensionRoom({ clientTools: ["pick"] });
    const batch = [theirs(1), theirs(2), { name: "pick", argumentsText: "[" }];
    const asked = await room.run([calls(...batch), says("ok")]);
    expect(eventsOf(asked, "client_tool_requested")).toEqual([]);
    const [first = "", second = ""] = room.asked();
    room.decide({ decision: "deny" }, first);
    room.decide({ decision: "approve" }, second);
    await room.rest();
    const offered = room.turn();
    expect([offered.state, offered.open.clientCalls.map(({ callId }) => callId)]).toEqual([
      "suspended",
      ["call_trn_1_2"],
    ]);
    await room.answer({ call_trn_1_2: ok("two") });
    await room.rest();
    expect(dispositionsOf(room.turn())).toEqual(["invalid_arguments", "denied", "client_result"]);
  });

  test("[DI12][CP18] two alike in a batch: the client runs one", async () => {
    const room = openSuspensionRoom({ ...full, clientTools: ["pick"] });
    const waiting = await room.run([calls(theirs(), theirs()), says("ok")]);
    expect(waiting.open.clientCalls).toHaveLength(1);
    await room.answer({ call_trn_1_1: ok("one") });
    await room.rest();
    expect(dispositionsOf(room.turn())).toEqual(["duplicate", "client_result"]);
  });

  test("[DI1] a client call makes no batch parallel, and a batch beside it may be", async () => {
    const order: string[] = [];
    const slow = createNoting("slow");
    const tool = {
      ...slow.tool,
      execute: async (args: unknown) => {
        order.push(`start ${JSON.stringify(args)}`);
        await new Promise((resolve) => setImmediate(resolve));
        order.push("end");
        return "ok";
      },
    };
    const room = openSuspensionRoom({
      ...full,
      tools: [tool],
      clientTools: ["pick"],
      runtime: { parallel_tools: true },
    });
    const of = (n: number) => ({ name: "slow", args: { n } });
    await room.run([calls(of(1), theirs(), of(2)), says("ok")]);
    expect(order.map((line) => line.slice(0, 5))).toEqual(["start", "start", "end", "end"]);
  });
});

describe("answers", () => {
  const offer = async (setup: RoomSetup = {}) => {
    const room = openSuspensionRoom({ ...full, clientTools: ["pick"], ...setup });
    await room.run([calls(theirs(1), theirs(2)), says("ok")]);
    return room;
  };
  const conflict = (reason: string) => ({
    ok: false,
    failure: { slug: "tool-result-conflict", errors: [{ path: expect.any(String), message: reason }] },
  });

  test("[DI11][DI12] posted results are the client's word: not signed, failures told as such", async () => {
    const room = await offer();
    await room.answer({
      call_trn_1_1: ok("fine"),
      call_trn_1_2: { success: false, error: "no battery", output: "log" },
    });
    await room.rest();
    const turn = room.turn();
    expect(eventsOf(turn, "tool_result")).toMatchObject([
      { disposition: "client_result", success: true, output: "fine" },
      { disposition: "client_result", success: false },
    ]);
    expect(resultsOf(turn)[1]).toMatch(/no battery[^]*log/);
    expect(turn.events.at(-1)).toMatchObject({ type: "turn_finished", receipts: [] });
    expect(resultsOf(turn).join()).not.toContain("zc-receipt");
  });

  test("[DI12][BD1][RX11] they are made well-formed, and bounded", async () => {
    const room = await offer({ runtime: { max_tool_result_chars: 100 } });
    await room.answer({ call_trn_1_1: ok(`\ud800${"x".repeat(500)}`), call_trn_1_2: ok("") });
    await room.rest();
    expect(eventsOf(room.turn(), "tool_result")).toMatchObject([
      { truncated: true, chars: 501, output: expect.stringMatching(/^\ufffdx/) },
      { truncated: false, output: "(no output)" },
    ]);
    expect([...(resultsOf(room.turn())[0] ?? "")].length).toBeLessThanOrEqual(100);
  });

  test("[EX12][EX4] a file that the client delivered is an artifact; of a failure no data is shown", async () => {
    const room = await offer();
    const data = { delivered: true, path: "out/a.csv" };
    await room.answer({
      call_trn_1_1: { ...ok("saved"), data },
      call_trn_1_2: { success: false, error: "full", data },
    });
    await room.rest();
    const [delivered, failed] = eventsOf(room.turn(), "tool_result");
    expect(delivered).toMatchObject({ data, artifact: { path: "out/a.csv", size: 0 } });
    expect(failed).not.toHaveProperty("data");
    expect(failed).not.toHaveProperty("artifact");
  });

  test("[EX4] a failure without a word says that it has none", async () => {
    const room = await offer();
    await room.answer({
      call_trn_1_1: { success: false, error: "" },
      call_trn_1_2: { success: false, error: "", output: "" },
    });
    await room.rest();
    expect(resultsOf(room.turn())).toEqual(["failed without a reason", "failed without a reason"]);
  });

  test("[DI11] a second result of a call is rejected, and with it the whole post", async () => {
    const room = await offer();
    await room.answer({ call_trn_1_1: ok("one") });
    const again = await room.answer({ call_trn_1_1: ok("other"), call_trn_1_2: ok("two") });
    expect(again).toMatchObject(conflict("settled"));
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    await room.answer({ call_trn_1_2: ok("two") });
    await room.rest();
    expect(resultsOf(room.turn())).toEqual(["one", "two"]);
  });

  test("[DI11][CK11] nothing posted: at the deadline, not before and however late the alarm, they have timed out", async () => {
    const room = await offer({ runtime: { client_tool_timeout_secs: 30 } });
    expect(room.alarmAt()).toBe(Date.now() + 30_000);
    await room.answer({ call_trn_1_1: ok("one") });
    room.pass(29_999);
    await room.alarm();
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    room.evict();
    room.pass(60_000);
    expect(await room.answer({ call_trn_1_2: ok("late") })).toMatchObject(conflict("closed"));
    await room.alarm();
    await room.rest();
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn)]).toEqual(["completed", ["client_result", "timed_out"]]);
    expect(resultsOf(turn)[1]).toContain("30 seconds");
  });

  test("[DI8][DI11][CK13] cancelled: what was requested may have run, what was answered keeps its result", async () => {
    const room = await offer();
    await room.answer({ call_trn_1_1: ok("one") });
    room.cancel();
    expect(await room.answer({ call_trn_1_2: ok("late") })).toMatchObject({ ok: false });
    await room.rest();
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn)]).toEqual(["cancelled", ["client_result", "interrupted"]]);
    expect(resultsOf(turn)).toEqual(["one", expect.stringMatching(/may or may not/)]);
    expect(room.provider.requests).toHaveLength(1);
  });

  test("[CK12] a client call after an approval after another: three suspensions, all results in the last prompt", async () => {
    const room = openSuspensionRoom({
      tools: [createNoting("asks").tool],
      clientTools: ["pick"],
      risk: { auto_approve: ["pick"] },
    });
    const asks = (n: number) => calls({ name: "asks", args: { n } });
    await room.run([asks(1), asks(2), calls(theirs()), says("ok")]);
    for (let round = 0; round < 2; round += 1) {
      room.evict();
      room.decide({ decision: "approve" });
      await room.rest();
    }
    room.evict();
    await room.answer({ call_trn_1_3: ok("blue") });
    await room.rest();
    const turn = room.turn();
    expect(eventsOf(turn, "turn_suspended").map(({ reason }) => reason)).toEqual([
      "approval",
      "approval",
      "client_tool",
    ]);
    expect(eventsOf(turn, "turn_resumed").map(({ reason }) => reason)).toEqual(["approval", "approval", "client_tool"]);
    const told = room.provider.requests
      .at(-1)
      ?.messages.flatMap((message) => (message.role === "tool" ? message.results : []));
    expect(told?.map(({ text }) => text.split("\n")[0])).toEqual(["asks ran", "asks ran", "blue"]);
    expect(turn.events.at(-1)).toMatchObject({ iterations: 4, receipts: [{ tool: "asks" }, { tool: "asks" }] });
  });
});
