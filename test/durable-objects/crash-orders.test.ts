/** Random turns, random people, random deaths: what must always hold of a conversation holds. */
import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import type { CrashScript } from "../support/crash-script.ts";
import { CrashWorld } from "../support/crash-world.ts";
import { expectHistory } from "../support/history-checker.ts";
import type { Death } from "../support/mortal.ts";
import { callOf, finish, says, text } from "../support/scripted-provider.ts";
import { useStillClock } from "../support/suspension-room.ts";

useStillClock();
const seed = process.env["CRASH_SEED"];

const anyName = fc.constantFrom("plain", "plain", "reads", "reads", "again", "asks", "pick", "delegate", "nothing");
const anyCall = fc.record({ name: anyName, n: fc.nat(2) }).map(({ name, n }) => {
  const args = name === "delegate" ? { agent: "bea", prompt: "help" } : { n };
  return callOf({ name, args });
});
const anyBatch = fc
  .tuple(fc.constantFrom([], [], [text("word ".repeat(250))]), fc.array(anyCall, { minLength: 1, maxLength: 4 }))
  .map(([words, made]) => [...words, ...made, finish("tool_calls")]);
const anyBatches = fc.array(anyBatch, { maxLength: 3 }).map((batches) => [...batches, says("Done.")]);
const anyAct: fc.Arbitrary<CrashScript["meanwhile"]> = fc.option(
  fc.record({
    at: fc.constantFrom("effect" as const, "model" as const),
    act: fc.constantFrom<NonNullable<CrashScript["meanwhile"]>["act"]>(
      ({ steer }) => steer("and hurry"),
      ({ cancel }) => cancel(),
      ({ post }) => post("next"),
      ({ post }) => post("next", "interrupt"),
      ({ post }) => post("next", "steer"),
    ),
  }),
  { nil: undefined },
);
const anyScript = fc
  .record({
    go: anyBatches,
    help: anyBatches,
    meanwhile: anyAct,
    person: fc.constantFrom("first life", "any life", undefined),
    parallel: fc.boolean(),
  })
  .map(({ go, help, meanwhile, person, parallel }): CrashScript => ({
    name: "random",
    setup: (world) => ({
      tools: [
        world.effect("plain"),
        world.effect("reads", { readOnly: true }),
        world.effect("again", { idempotent: true, readOnly: true }),
        world.effect("asks"),
      ],
      clientTools: ["pick"],
      risk: { delegation_policy: { mode: "allow" }, auto_approve: ["plain", "reads", "again", "pick", "delegate"] },
      runtime: { parallel_tools: parallel, max_tool_iterations: 6 },
      agent: { delegates: ["bea"] },
      agents: { bea: { model: null } },
    }),
    answers: { go, help, next: [says("Next.")] },
    inputs: ["go"],
    ...(meanwhile === undefined ? {} : { meanwhile }),
    ...(person === undefined ? {} : { person }),
  }));
const anyDeath: fc.Arbitrary<Death> = fc.oneof(
  fc.record({ mode: fc.constant("reset" as const), at: fc.integer({ min: 1, max: 400 }) }),
  fc.record({ mode: fc.constant("kill" as const), at: fc.integer({ min: 1, max: 90 }) }),
);

test("[G2][G5][G8][HC1] whatever is under way and wherever its instances die, each turn has one end and each call one effect at most", async () => {
  await fc.assert(
    fc.asyncProperty(anyScript, fc.array(anyDeath, { maxLength: 4 }), async (script, deaths) => {
      const world = new CrashWorld(script, deaths);
      await world.run();
      expectHistory(world);
      const faults = vi
        .mocked(console.error)
        .mock.calls.flat()
        .filter((line) => String(line).includes("turn_internal"));
      vi.mocked(console.error).mockClear();
      expect(faults).toEqual([]);
    }),
    { numRuns: Number(process.env["CRASH_RUNS"] ?? 150), ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
}, 120_000);
