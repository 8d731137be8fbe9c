/** The events of a turn that waits: their order, and one pair for each call whatever became of it. */
import { describe, expect, test } from "vitest";
import { defineHook } from "../../src/config.ts";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import { type SuspensionRoom, approveAll, openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "asks", args: { n } })));

describe("events", () => {
  const typesOf = ({ events }: Pick<ReturnType<SuspensionRoom["turn"]>, "events">) =>
    events.flatMap((event) => ("call_id" in event ? [`${event.type} ${event.call_id.slice(-1)}`] : [event.type]));

  test("[EV7][EV3][EV6][AP18] two approvals answered apart, one of them no: requests, suspended, decisions, resumed, pairs", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    await room.run([ask(1, 2, 3), says("ok")]);
    const [first, second, third] = room.asked();
    room.decide(approve, third);
    room.decide({ decision: "deny" }, first);
    room.decide(approve, second);
    await room.rest();
    expect(typesOf(room.turn())).toEqual([
      "turn_accepted",
      "turn_started",
      "usage",
      "approval_requested 1",
      "approval_requested 2",
      "approval_requested 3",
      "turn_suspended",
      "approval_decided 3",
      "approval_decided 1",
      "tool_call 1",
      "tool_result 1",
      "approval_decided 2",
      "turn_resumed",
      "tool_call 2",
      "tool_result 2",
      "tool_call 3",
      "tool_result 3",
      "text_delta",
      "usage",
      "turn_finished",
    ]);
  });

  test("[EV5][EV3] calls settled in preparation come first, in call order; a pending call has no pair yet", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")] });
    const batch = [{ name: "nothing" }, { name: "asks" }, { name: "asks" }, { name: "asks", argumentsText: "[" }];
    const turn = await room.run([calls(...batch)]);
    expect(typesOf(turn).slice(3)).toEqual([
      "tool_call 1",
      "tool_result 1",
      "tool_call 3",
      "tool_result 3",
      "tool_call 4",
      "tool_result 4",
      "approval_requested 2",
      "turn_suspended",
    ]);
  });

  test("[EV4] the pair of a call that was denied, or found unfit after its wait, carries the prepared arguments", async () => {
    const rewrite = defineHook({
      name: "rewrite",
      on: "before_tool_call",
      run: ({ args }) => ({ args: { ...args, m: 9 } }),
    });
    const tools = [createTool("asks")];
    const room = openSuspensionRoom({ tools, hooks: [rewrite] });
    await room.run([ask(1, 2), says("ok")]);
    room.decide({ decision: "deny" }, room.asked()[0]);
    room.evict({ tools, risk: { excluded_tools: ["asks"] } });
    room.decide(approve);
    await room.rest();
    expect(dispositionsOf(room.turn())).toEqual(["denied", "not_available"]);
    expect(eventsOf(room.turn(), "tool_call").map((event) => event.arguments)).toEqual([
      { n: 1, m: 9 },
      { n: 2, m: 9 },
    ]);
  });

  test("[EV4][EV2] so does the pair of a call that was prepared, when its turn is closed from its rows", async () => {
    const rename = defineHook({
      name: "rename",
      on: "before_tool_call",
      run: ({ args }) => ({ tool: "asks", args: { ...args, m: 9 } }),
    });
    const room = openSuspensionRoom({ tools: [createTool("old"), createTool("asks")], hooks: [rename] });
    await room.run([calls({ name: "old", args: { n: 1 } }), says("ok")]);
    room.sql.run("UPDATE steps SET checkpoint = ? WHERE turn = 1", new TextEncoder().encode("{}"));
    room.evict();
    room.decide(approve);
    await room.rest();
    expect(room.turn().reason).toBe("checkpoint_version");
    expect(eventsOf(room.turn(), "tool_call")).toMatchObject([{ tool: "asks", arguments: { n: 1, m: 9 } }]);
    expect(eventsOf(room.turn(), "tool_result")).toMatchObject([{ tool: "asks", disposition: "interrupted" }]);
  });

  test("[EV2] each call has one pair over suspension and eviction, whatever became of it", async () => {
    const room = openSuspensionRoom({ tools: [createTool("asks")], clientTools: ["pick"] });
    await room.run([calls({ name: "asks" }, { name: "pick" }, { name: "nothing" }), says("ok")]);
    await approveAll(room, () => room.evict());
    room.evict();
    await room.answer({ call_trn_1_2: { success: true, output: "x" } });
    await room.rest();
    expectSound(room.sql);
    expect(eventsOf(room.turn(), "tool_call")).toHaveLength(3);
  });
});
