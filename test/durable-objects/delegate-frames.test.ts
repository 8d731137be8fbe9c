/** A delegate's frame beside the turn's own: the same loop with the same rules, and what both share is kept over whatever comes between. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineHook } from "../../src/config.ts";
import { eventsOf } from "../support/core-fixture.ts";
import { handTo, requestsOf, runDelegates, stepsOf } from "../support/delegate-room.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { type ScriptedCall, calls, says } from "../support/scripted-provider.ts";
import { expectSound } from "../support/storage-checker.ts";
import { approveAll, type SeenTurn, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;
const free = createTool("free", ({ n }) => `free ${Number(n)}`);
const asks = createTool("asks");

describe("the same at any depth", () => {
  const anyCall: fc.Arbitrary<ScriptedCall> = fc.record({
    name: fc.constantFrom("free", "free", "asks", "throws", "nothing"),
    argumentsText: fc.constantFrom('{"n":1}', '{"n":1}', '{"n":2}', "["),
  });
  const anyScript = fc.array(fc.array(anyCall, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 });
  const setup: RoomSetup = {
    tools: [free, asks, createTool("throws", () => Promise.reject(new Error("broken")))],
    runtime: { max_tool_iterations: 10 },
  };
  const ownOf = ({ events }: SeenTurn, agent: string) =>
    events.flatMap((event) =>
      event.type === "tool_result" && event.agent === agent && event.tool !== "delegate"
        ? [[event.tool, event.disposition, event.output]]
        : [],
    );

  test(
    "[RX4][CP18][EX5][LC12] any script comes to the same dispositions and results in the turn's own frame and in a delegate's",
    { timeout: 120_000 },
    async () => {
      await fc.assert(
        fc.asyncProperty(anyScript, async (batches) => {
          const script = [...batches.map((batch) => calls(...batch)), says("end")];
          const above = await runDelegates({ ada: script }, setup);
          const below = await runDelegates({ ada: [calls(handTo("ben")), says("a")], ben: script }, setup);
          for (const { room } of [above, below]) {
            await approveAll(room);
            expectSound(room.sql);
          }
          const nameless = (results: ReturnType<typeof ownOf>) =>
            results.map((result) => result.map((part) => String(part).replaceAll(/call_trn_1_\d+/g, "call")));
          expect(nameless(ownOf(below.room.turn(), "ben"))).toEqual(nameless(ownOf(above.room.turn(), "ada")));
        }),
        { numRuns: 40 },
      );
    },
  );

  test("[RX4][CP18] two identical calls in a batch of a child: one run, one duplicate", async () => {
    const twice = { name: "free", args: { n: 1 } };
    const { turn } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [calls(twice, twice), says("b")] },
      { tools: [free] },
    );
    expect(stepsOf(turn).filter((step) => step.startsWith("ben free"))).toEqual([
      "ben free duplicate",
      "ben free succeeded",
    ]);
  });
});

describe("over a wait in the child", () => {
  test("[CK5][DI14] what stands behind it in the caller's batch is not prepared a second time", async () => {
    const seen: string[] = [];
    const watch = defineHook({
      name: "watch",
      on: "before_tool_call",
      run: ({ tool, args }) => {
        seen.push(tool);
        return { tool, args };
      },
    });
    const { room } = await runDelegates(
      {
        ada: [calls(handTo("ben"), { name: "free", args: { n: 1 } }), says("a")],
        ben: [calls({ name: "asks" }), says("b")],
      },
      { tools: [free, asks], hooks: [watch] },
    );
    room.evict();
    room.decide(approve);
    await room.rest();
    expect(room.turn().state).toBe("completed");
    expect(seen).toEqual(["delegate", "free", "asks"]);
  });

  test("[DG9][CK3] what a frame's last request cost stays with the turn, also when nothing was written behind it", async () => {
    const { room, turn } = await runDelegates(
      {
        ada: [calls(handTo("ben"), handTo("cy")), says("a")],
        ben: [calls({ name: "asks" }), says("b")],
        cy: [calls({ name: "free", args: { n: 1 } }), says("so far")],
      },
      {
        tools: [free, asks],
        agents: { ben: {}, cy: { runtime_profile: "short" } },
        runtime: { parallel_tools: true },
        runtimes: { short: { max_tool_iterations: 1 } },
      },
    );
    expect([turn.state, room.provider.requests.length]).toEqual(["suspended", 4]);
    room.evict();
    room.decide(approve);
    await room.rest();
    expect(room.provider.requests).toHaveLength(6);
    expect(eventsOf(room.turn(), "turn_finished")).toMatchObject([{ usage: { input_tokens: 600, exact: true } }]);
  });

  test("[LC26] what is said meanwhile is for the turn's own agent: it hears it once, behind the round", async () => {
    const { room } = await runDelegates(
      { ada: [calls(handTo("ben")), says("a")], ben: [calls({ name: "asks" }), calls({ name: "asks" }), says("b")] },
      { tools: [asks] },
    );
    room.steer("And hurry.");
    await approveAll(room, () => room.evict());
    expect(JSON.stringify(requestsOf(room, "ben"))).not.toContain("And hurry.");
    const last = requestsOf(room, "ada").at(-1)?.messages;
    expect(last?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(eventsOf(room.turn(), "steering")).toMatchObject([{ agent: "ada", text: "And hurry." }]);
  });
});
