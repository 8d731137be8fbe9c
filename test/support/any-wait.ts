/** Random turns that wait, and whatever may come to them meanwhile; a plan always leads to the end of every turn. */
import * as fc from "fast-check";
import { vi } from "vitest";
import type { DecisionInput } from "../../src/contracts/approval.ts";
import type { ModelEvent } from "../../src/contracts/model.ts";
import { callOf, finish, says, type ScriptedResponse, text } from "./scripted-provider.ts";
import type { RoomSetup } from "./room-deployment.ts";
import { type SuspensionRoom, openSuspensionRoom } from "./suspension-room.ts";
import { createTool } from "./test-tools.ts";

const month = 30 * 86_400;
const input = { type: "object", properties: { n: { type: "integer" } } };

/** Agents reach one another, up to three levels down, and all of them answer by the one script. `free` and `hangs` run unasked; `pick` is the client's, `lend` too and asked about; the others are asked about. */
const waitSetup: RoomSetup = {
  tools: [
    createTool("free", ({ n }) => `free ${Number(n)}`, { input }),
    createTool("asks", ({ n }) => `asks ${Number(n)} \ud83e`, { input }),
    createTool("shell", () => "same each time", { input }),
    createTool("long", () => "x😀".repeat(200), { input }),
    createTool("throws", () => Promise.reject(new Error("broken")), { input }),
    createTool("hangs", () => {
      // Of two that hang side by side, the first ends both; the other may come when the test has ended.
      setImmediate(() => vi.isFakeTimers() && vi.advanceTimersByTime(60_000));
      return new Promise(() => undefined);
    }),
  ],
  clientTools: ["pick", "lend"],
  agents: { ben: {} },
  risk: {
    auto_approve: ["free", "hangs", "pick", "delegate"],
    approval_timeout_secs: month,
    delegation_policy: { mode: "allow" },
  },
  runtime: { client_tool_timeout_secs: month, max_tool_result_chars: 120, max_tool_iterations: 6 },
};

const parallelSetup: RoomSetup = { ...waitSetup, runtime: { ...waitSetup.runtime, parallel_tools: true } };

export type WaitStep =
  | { readonly do: "decide"; readonly at: number; readonly decision: DecisionInput }
  | { readonly do: "answer"; readonly at: number; readonly success: boolean }
  | { readonly do: "expire" | "steer" | "cancel" | "interrupt" | "evict" | "ring" };

export interface WaitPlan {
  readonly parallel: boolean;
  readonly script: readonly ScriptedResponse[];
  readonly steps: readonly WaitStep[];
}

const anyName = fc.constantFrom(
  "free",
  "asks",
  "asks",
  "shell",
  "shell",
  "long",
  "throws",
  "hangs",
  "pick",
  "lend",
  "nothing",
);
const anyArguments = fc.constantFrom(
  '{"n":1}',
  '{"n":1}',
  '{"n":1}',
  '{"n":2}',
  '{"n":3,"approved":true}',
  '{"n":"x"}',
  "[",
  "",
);
const anyDelegation = fc.record({
  name: fc.constant("delegate"),
  argumentsText: fc.constantFrom(
    ...["ada", "ben", "ben", "nobody"].map((agent) => JSON.stringify({ agent, prompt: "Go." })),
  ),
});
const anyCall = fc
  .oneof({ arbitrary: fc.record({ name: anyName, argumentsText: anyArguments }), weight: 4 }, anyDelegation)
  .map(callOf);
const anyWords: fc.Arbitrary<readonly ModelEvent[]> = fc.constantFrom([], [], [text("Let me see.")]);
const anyBatch: fc.Arbitrary<ScriptedResponse> = fc
  .tuple(anyWords, fc.array(anyCall, { minLength: 1, maxLength: 5 }), fc.nat(9))
  .map(([words, made, luck]) => [...words, ...made, finish(luck === 0 ? "length" : "tool_calls")]);

const anyDecision: fc.Arbitrary<DecisionInput> = fc.oneof(
  { arbitrary: fc.constant({ decision: "approve" } as const), weight: 3 },
  fc.constant({ decision: "always" } as const),
  { arbitrary: fc.constantFrom<DecisionInput>({ decision: "deny" }, { decision: "deny", note: "no" }), weight: 2 },
  fc.string({ unit: "binary", maxLength: 20 }).map((replacement) => ({ decision: "replace", replacement }) as const),
);
const at = fc.nat(4);
const calmStep: fc.Arbitrary<WaitStep> = fc.oneof(
  { arbitrary: fc.record({ do: fc.constant("decide" as const), at, decision: anyDecision }), weight: 6 },
  { arbitrary: fc.record({ do: fc.constant("answer" as const), at, success: fc.boolean() }), weight: 3 },
  fc.constantFrom({ do: "expire" }, { do: "steer" }),
);
const wildStep: fc.Arbitrary<WaitStep> = fc.oneof(
  { arbitrary: calmStep, weight: 8 },
  { arbitrary: fc.constantFrom<WaitStep>({ do: "evict" }, { do: "ring" }), weight: 2 },
  fc.constantFrom<WaitStep>({ do: "cancel" }, { do: "interrupt" }),
);

const planOf = (step: fc.Arbitrary<WaitStep>): fc.Arbitrary<WaitPlan> =>
  fc.record({
    parallel: fc.boolean(),
    script: fc.array(anyBatch, { minLength: 1, maxLength: 5 }),
    steps: fc.array(step, { maxLength: 10 }),
  });

export const anyPlan = planOf(calmStep);
/** Also with evictions, cancels and interrupting turns. */
export const anyWildPlan = planOf(wildStep);

/** Behind the script: an answer, whatever asks for one. */
const rest: readonly ScriptedResponse[] = Array.from({ length: 30 }, () => says("That is ", "all."));

/** Plays the plan until every turn has ended; `before` comes before each step. */
export async function playPlan(plan: WaitPlan, before: (room: SuspensionRoom) => void): Promise<SuspensionRoom> {
  const room = openSuspensionRoom(plan.parallel ? parallelSetup : waitSetup);
  await room.run([...plan.script, ...rest]);
  for (const step of plan.steps) {
    before(room);
    await play(room, step);
    await room.rest();
  }
  for (let left = 50; room.active() !== undefined && left > 0; left -= 1) {
    before(room);
    await play(
      room,
      left % 2 === 0
        ? { do: "decide", at: 0, decision: { decision: "approve" } }
        : { do: "answer", at: 0, success: true },
    );
    await room.rest();
  }
  return room;
}

async function play(room: SuspensionRoom, step: WaitStep): Promise<void> {
  const turn = room.active();
  if (turn === undefined) return;
  switch (step.do) {
    case "decide": {
      const asked = room.asked();
      const approval = asked[step.at % asked.length];
      if (approval !== undefined) room.decide(step.decision, approval);
      return;
    }
    case "answer": {
      const offered = room.turn(turn).open.clientCalls;
      const call = offered[step.at % offered.length];
      const result = step.success ? { success: true, output: "theirs" } : { success: false, error: "no" };
      if (call !== undefined) await room.answer({ [call.callId]: result as { success: true; output: string } }, turn);
      return;
    }
    case "expire":
      room.pass(month * 1000);
      return await room.alarm();
    case "ring":
      return await room.alarm();
    case "steer":
      return void room.steer("a word", turn);
    case "cancel":
      return void room.cancel(turn);
    case "interrupt":
      return void room.post("something else", { onBusy: "interrupt" });
    case "evict":
      return room.evict();
  }
}
