/** A configuration that changed while a turn waited: it may take from the turn, and never adds to it. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/contracts/json.ts";
import { failWith } from "../../src/contracts/result.ts";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectValidHistory } from "../support/storage-checker.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));

describe("a configuration that changed meanwhile", () => {
  /** Asked once under `before`; then `after` holds, the call is approved, and the model asks for `next`. */
  const runOver = async (
    before: RoomSetup,
    after: RoomSetup,
    next = { name: "asks", args: { n: 2 } as JsonObject },
  ) => {
    const asks = createNoting("asks");
    const room = openSuspensionRoom({ tools: [asks.tool], ...before });
    await room.run([ask(1), calls(next), says("ok")]);
    room.evict({ tools: [asks.tool], ...before, ...after });
    if (room.asked().length > 0) room.decide(approve);
    await room.rest();
    return { room, asks, turn: room.turn() };
  };

  test.each([
    ["excluded", { risk: { excluded_tools: ["asks"] } }],
    ["left out of `allowed_tools`", { risk: { allowed_tools: ["calculator"] } }],
    ["gone", { tools: [] }],
    ["barred by a lower level", { risk: { level: "read_only" } }],
  ] as const satisfies readonly (readonly [string, RoomSetup])[])(
    "[RX7][CK8] a tool that is %s while its approval waits, then approved: not available, not run",
    async (_how, after) => {
      const { asks, turn } = await runOver({}, after);
      expect([dispositionsOf(turn)[0], asks.ran, turn.state]).toEqual(["not_available", [], "completed"]);
      expectValidHistory(turn.history);
    },
  );

  test.each([
    ["a higher level", { risk: { level: "full" } }],
    ["more approvals by rule", { risk: { auto_approve: ["*"] } }],
  ] as const)("[RX7] %s widens nothing for the turn that waited", async (_how, after) => {
    const { room, turn } = await runOver({}, after);
    expect([turn.state, room.asked()]).toEqual(["suspended", ["apr_call_trn_1_2"]]);
  });

  test("[CK8][CP12] a check in code that grew stricter under the same definition: not run with arguments it refuses", async () => {
    const stricter = {
      ...createNoting("asks").tool,
      checkArguments: () => failWith([{ path: "n", message: "too low" }]),
    };
    const { asks, turn } = await runOver({}, { tools: [stricter] });
    expect([dispositionsOf(turn)[0], asks.ran, turn.state]).toEqual(["invalid_arguments", [], "completed"]);
    expectValidHistory(turn.history);
  });

  test("[RX7] a lower level narrows the rest of the turn too", async () => {
    const asks = createTool("asks", undefined, { readOnly: false });
    const client = { risk: { level: "full" }, tools: [asks], clientTools: ["pick"] } as const;
    const room = openSuspensionRoom(client);
    await room.run([calls({ name: "pick" }), ask(1), says("ok")]);
    room.evict({ ...client, risk: { level: "supervised" } });
    await room.answer({ call_trn_1_1: { success: true, output: "x" } });
    await room.rest();
    expect(room.asked()).toEqual(["apr_call_trn_1_2"]);
  });

  test("[RX7] a tool that was added, or freed, is for the next turn", async () => {
    const added = createNoting("added");
    const barred = createNoting("barred");
    const asks = createTool("asks");
    const before = { tools: [asks, barred.tool], risk: { excluded_tools: ["barred"] } };
    const room = openSuspensionRoom(before);
    await room.run([ask(1), calls({ name: "added" }, { name: "barred" }), says("ok")]);
    room.evict({ tools: [asks, barred.tool, added.tool] });
    room.decide(approve);
    await room.rest();
    expect(dispositionsOf(room.turn()).slice(1)).toEqual(["not_available", "not_available"]);
    expect(room.provider.requests[1]?.tools).toEqual(room.provider.requests[0]?.tools);
    await room.run([says("ok")]);
    expect(room.provider.requests.at(-1)?.tools.map(({ tool }) => tool)).toEqual(
      expect.arrayContaining(["added", "barred"]),
    );
  });

  test("[RX7] knobs are pinned: another cap and other limits are for the next turn", async () => {
    const runtime = { max_tool_iterations: 1, max_tool_result_chars: 10 };
    const { turn } = await runOver(
      { risk: { always_ask: [] } },
      { runtime },
      { name: "calculator", args: { expression: "1+1" } },
    );
    expect([turn.state, eventsOf(turn, "tool_result").map(({ truncated }) => truncated)]).toEqual([
      "completed",
      [false, false],
    ]);
  });
});
