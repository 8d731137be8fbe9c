/** A turn that waited, beside the same one that did not: guards, history, usage are as if nobody had taken any time. */
import { describe, expect, test } from "vitest";
import { comparable, withoutWaiting } from "../support/compare-turns.ts";
import { eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectClosedTurn } from "../support/storage-checker.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { type SuspensionRoom, approveAll, openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const day = 86_400_000;
const patient = { approval_timeout_secs: 30 * 86_400 };
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));

describe("as if nobody had waited", () => {
  const it = () => createTool("asks", ({ n }) => `${"long ".repeat(40)}${Number(n)}`);
  const setups: readonly (readonly [string, RoomSetup, readonly (readonly number[])[]])[] = [
    ["three rounds", {}, [[1], [2, 3], [4]]],
    [
      "a call that repeats until the loop is blocked, then broken",
      {},
      Array.from({ length: 7 }, (_, n) => (n < 5 ? [1, 10 + n] : [1])),
    ],
    [
      "identical rounds",
      { runtime: { pacing: { loop_detection_min_elapsed_secs: 0, loop_detection_enabled: false } } },
      [[1], [1], [1], [1], [1]],
    ],
    ["the cap", { runtime: { max_tool_iterations: 2 } }, [[1], [2]]],
  ];

  test.each(setups)(
    "[CK10][RX8][LC13] %s: a week between, or instantly, or never asked",
    async (_what, setup, batches) => {
      const run = async (how: RoomSetup, before: (room: SuspensionRoom) => void) => {
        const room = openSuspensionRoom({ ...setup, tools: [it()], ...how });
        await room.run([...batches.map((ns) => ask(...ns)), says("That is all."), says("That is all.")]);
        await approveAll(room, () => before(room));
        expectClosedTurn(room.sql, "trn_1");
        return room.turn();
      };
      const slow = await run({ risk: patient }, (room) => {
        room.pass(7 * day);
        room.evict();
      });
      const instant = await run({ risk: patient }, () => undefined);
      const free = await run({ risk: { level: "full" } }, () => undefined);
      expect(comparable(slow)).toEqual(comparable(instant));
      expect(withoutWaiting(slow)).toEqual(withoutWaiting(free));
      expect(slow.state).not.toBe("suspended");
      expect(slow.state).not.toBe("failed");
    },
  );

  test("[RX8][LC11][LC13] a call that the detector blocks in a batch that waits counts as it does in one that runs at once", async () => {
    const batches = [[1], [1], [1], [1], [1, 2]];
    const run = async (risk: RoomSetup["risk"] & object) => {
      const room = openSuspensionRoom({ tools: [createTool("asks")], risk });
      await room.run([...batches.map((ns) => ask(...ns)), says("done"), says("done")]);
      await approveAll(room, () => room.evict());
      return room.turn();
    };
    const [waited, ran] = [await run({}), await run({ level: "full" })];
    expect([waited.state, waited.reason]).toEqual(["stopped", "loop_detected"]);
    expect(withoutWaiting(waited)).toEqual(withoutWaiting(ran));
  });

  test.each([true, false])("[RX8][LC12] results are compared raw, bounded ones too, receipts %s", async (enabled) => {
    const same = createTool("same", () => "long ".repeat(100));
    const room = openSuspensionRoom({
      tools: [same],
      clientTools: ["pick"],
      risk: { level: "full" },
      runtime: { max_tool_result_chars: 60 },
      agent: { tool_receipts: { enabled } },
    });
    const of = (n: number) => ({ name: "same", args: { n } });
    const beside = [2, 4].map((n) => calls(of(n), { name: "pick", args: { n } }));
    const [second = [], fourth = []] = beside;
    await room.run([calls(of(1)), second, calls(of(3)), fourth, calls(of(5)), says("ok")]);
    for (const callId of ["call_trn_1_3", "call_trn_1_6"]) {
      await room.answer({ [callId]: { success: true, output: callId } });
      await room.rest();
    }
    expect(eventsOf(room.turn(), "loop_warning")).toMatchObject([{ level: "warn", pattern: "no_progress", count: 5 }]);
  });

  test("[RX8][CP16] malformed responses before and after a suspension are counted together", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    const malformed = says('<tool_call>{"name": "asks", "arguments": {</tool_call>');
    await room.run([malformed, malformed, ask(1), malformed]);
    await approveAll(room, () => room.evict());
    expect(room.turn()).toMatchObject({ state: "stopped", reason: "malformed_protocol" });
  });

  test("[CK3][LC23][LC24] history that was trimmed before the wait is not sent after it", async () => {
    const tools = [createTool("asks")];
    const room = openSuspensionRoom({ tools, runtime: { max_history_messages: 3 } });
    for (const n of [1, 2, 3]) await room.run([says(`answer ${n}`)]);
    const asked = await room.run([ask(1), says("ok")]);
    room.evict();
    await approveAll(room);
    const [before, after] = room.provider.requests.slice(-2).map(({ messages }) => messages);
    expect(eventsOf(asked, "history_trimmed")).toHaveLength(1);
    expect(after?.slice(0, before?.length)).toEqual(before);
    expect(eventsOf(room.turn("trn_4"), "history_trimmed")).toHaveLength(1);
  });

  test("[CK10] time spent waiting is no running time", async () => {
    const pacing = { loop_detection_min_elapsed_secs: 3600, loop_detection_enabled: false };
    const room = openSuspensionRoom({ tools: [createTool("asks")], risk: patient, runtime: { pacing } });
    await room.run([ask(1), ask(1), ask(1), ask(1), ask(1), says("ok")]);
    await approveAll(room, () => (room.pass(day), room.evict()));
    expect(room.turn()).toMatchObject({ state: "completed", text: "ok" });
  });
});
