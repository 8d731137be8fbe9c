/** Whatever a model says and whatever its tools do: each turn ends once, each call has one pair, each request is valid. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import type { Tool } from "../../../src/contracts/tool.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { type CoreConversation, eventsOf, openConversation } from "../../support/core-fixture.ts";
import { findPayloadFaults } from "../../support/openai-shape.ts";
import { callOf, fault, finish, type ScriptedResponse, text } from "../../support/scripted-provider.ts";
import { expectDenseLog, expectSmallValues, expectValidHistory } from "../../support/storage-checker.ts";
import { wireBodyOf } from "../../support/wire-body.ts";
import { propertyRuns } from "../../support/property-runs.ts";

const input = { type: "object", properties: { n: { type: "integer" } } } as const;

/** `clock` is moved by the tool that outlives its limit. */
function createTools(advance: () => void): readonly Tool[] {
  const base = { description: "It.", input };
  return [
    defineTool({ ...base, name: "works", execute: ({ n }) => `result ${Number(n)} \ud83e` }),
    defineTool({ ...base, name: "long.result", execute: () => "x😀".repeat(500) }),
    defineTool({ ...base, name: "fails", execute: () => ({ success: false, error: "no" }) }),
    defineTool({
      ...base,
      name: "throws",
      execute: () => {
        throw new Error("broken");
      },
    }),
    defineTool({
      ...base,
      name: "hangs",
      execute: () => {
        setImmediate(advance);
        return new Promise<string>(() => undefined);
      },
    }),
    defineTool({ ...base, name: "asks", needsApproval: true, execute: () => "ran" }),
  ];
}

const name = fc.constantFrom(
  "works",
  "works",
  "fails",
  "throws",
  "hangs",
  "asks",
  "long.result",
  "nothing",
  "__proto__",
  "",
);
const argumentsText = fc.oneof(
  fc.constantFrom("", "{}", '{"n":1}', '{"n":1}', '{"n":2}', '{"n":"x"}', '{"n":', "[1]", "null", '{"approved":true}'),
  fc.json({ maxDepth: 2 }),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const id = fc.constantFrom(undefined, "p1", "p2", "call_trn_1_1", "call_trn_2_1", "with space", "");
const anyCall = fc
  .record({ name, argumentsText, id })
  .map(({ id: given, ...call }) => callOf(given === undefined ? call : { ...call, id: given }));
const anyText = fc
  .oneof(fc.constantFrom("", " ", "\n", "\ud83d", "\ude00"), fc.string({ unit: "binary", maxLength: 30 }))
  .map(text);
const anyEnd: fc.Arbitrary<readonly ModelEvent[]> = fc.constantFrom(
  [finish()],
  [finish("tool_calls")],
  [finish("tool_calls")],
  [finish("length")],
  [fault("cut")],
  [fault("context_overflow")],
  [],
);
const anyResponse: fc.Arbitrary<ScriptedResponse> = fc
  .tuple(fc.array(fc.oneof(anyCall, anyText), { maxLength: 6 }), anyEnd)
  .map(([parts, end]) => [...parts, ...end]);
/** What comes when a script is used up: an end, whatever the loop is at. */
const rest: readonly ScriptedResponse[] = Array.from({ length: 8 }, () => [text("That is all."), finish()]);

const anySetup = fc.record({
  risk: fc.record({
    level: fc.constantFrom("full", "supervised"),
    auto_approve: fc.constantFrom(["*"], ["works"], []),
  }),
  runtime: fc.record({
    max_tool_iterations: fc.integer({ min: 1, max: 4 }),
    max_iteration_behavior: fc.constantFrom("graceful_summary", "error"),
    max_tool_result_chars: fc.constantFrom(0, 5, 100),
    dedup_enabled: fc.boolean(),
  }),
  agent: fc.record({ tool_receipts: fc.record({ enabled: fc.constant(true), scope: fc.constant("conversation") }) }),
});

test(
  "[HI1][PV1][EV2][EV8][LC2][HC3][HC4][HC9] any script of a model, over three turns",
  { timeout: 60_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(anyResponse, { maxLength: 5 }), { minLength: 3, maxLength: 3 }),
        anySetup,
        async (scripts, setup) => {
          const conversation: CoreConversation = openConversation({
            ...setup,
            tools: createTools(() => conversation.clock.advance(60_000)),
          });
          for (const script of scripts) {
            conversation.provider.drop();
            const turn = await conversation.run([...script, ...rest], { narrowing: { approvals: "deny" } });
            expect(eventsOf(turn, "turn_finished")).toHaveLength(1);
            expect(turn.events.at(-1)?.type).toBe("turn_finished");
            const called = eventsOf(turn, "tool_call").map(({ call_id }) => call_id);
            expect(eventsOf(turn, "tool_result").map(({ call_id }) => call_id)).toEqual(called);
            expect(new Set(called).size).toBe(called.length);
            const succeeded = eventsOf(turn, "tool_result").filter(({ disposition }) => disposition === "succeeded");
            expect(turn.summary.receipts.map(({ callId }) => callId)).toEqual(succeeded.map(({ call_id }) => call_id));
            expect(turn.summary.iterations).toBeLessThanOrEqual(setup.runtime.max_tool_iterations);
            expectValidHistory(turn.history);
          }
          expectDenseLog(conversation.sql);
          expectSmallValues(conversation.sql);
          expect(conversation.sql.all("SELECT call_id FROM calls WHERE state <> 'settled'")).toEqual([]);
          for (const request of conversation.provider.requests) {
            expect(findPayloadFaults(await wireBodyOf(request))).toEqual([]);
          }
        },
      ),
      { numRuns: propertyRuns(150) },
    );
  },
);
