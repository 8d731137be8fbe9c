/** Hooks around calls: what they may change, what their failures may not, what they are told afterwards. */
import { describe, expect, test } from "vitest";
import { defineHook } from "../../../src/config.ts";
import type { FinishedCall, ToolHook, ToolHookAt } from "../../../src/contracts/config/tool-hook.ts";
import type { JsonObject } from "../../../src/contracts/json.ts";
import { dispositionsOf, eventsOf, openConversation, resultsOf, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool, settle } from "../../support/test-tools.ts";

const full = { risk: { level: "full" } } as const;
const number = { type: "object", properties: { n: { type: "number" } }, required: ["n"], additionalProperties: false };

const script = (...names: readonly string[]) => [calls(...names.map((name) => ({ name, args: { n: 1 } }))), says("ok")];
const before = (run: ToolHookAt<"before_tool_call">["run"], rest: object = {}): ToolHook =>
  defineHook({ name: "hook", on: "before_tool_call", run, ...rest });
const repair = (run: ToolHookAt<"repair_tool_call">["run"]): ToolHook =>
  defineHook({ name: "mend", on: "repair_tool_call", run });
const after = (run: ToolHookAt<"after_tool_call">["run"], rest: object = {}): ToolHook =>
  defineHook({ name: "watch", on: "after_tool_call", run, ...rest });

describe("repair", () => {
  const mended: readonly (readonly [string, () => unknown, string, readonly JsonObject[]])[] = [
    ["valid arguments", () => ({ n: 2 }), "succeeded", [{ n: 2 }]],
    ["nothing", () => undefined, "invalid_arguments", []],
    ["what is off schema too", () => ({ m: 2 }), "invalid_arguments", []],
    ["what fits but for a marker of its own", () => ({ n: 2, approved: true }), "succeeded", [{ n: 2 }]],
    ["a list", () => [2], "invalid_arguments", []],
    ["an error", () => Promise.reject(new Error("no")), "invalid_arguments", []],
  ];
  test.each(mended)("[CP4] unreadable arguments, and the hook gives %s", async (...[_what, run, disposition, ran]) => {
    const it = createNoting("it", { input: number });
    const turn = await runOnce([calls({ name: "it", argumentsText: '{"n":' }), says("ok")], {
      ...full,
      tools: [it.tool],
      execution: { hooks: [repair(run as () => JsonObject | undefined)] },
    });
    expect([dispositionsOf(turn), it.ran]).toEqual([[disposition], ran]);
  });

  test("[CP4] the hook sees what the model wrote, and the first that returns an object mends the call", async () => {
    const seen: unknown[] = [];
    const it = createNoting("it", { input: number });
    const hooks = [
      repair(({ tool, argumentsText }) => void seen.push([tool, argumentsText])),
      repair(() => ({ n: 7 })),
      repair(() => ({ n: 8 })),
    ];
    await runOnce([calls({ name: "it", argumentsText: "[1" }), says("ok")], {
      ...full,
      tools: [it.tool],
      execution: { hooks },
    });
    expect([seen, it.ran]).toEqual([[["it", "[1"]], [{ n: 7 }]]);
  });

  test("[CP12][CP4] off-schema arguments are offered once, and a call that was mended already is not offered again", async () => {
    let offered = 0;
    const it = createNoting("it", { input: number });
    const hooks = [repair(() => ((offered += 1), offered === 2 ? { n: 5 } : { m: 1 }))];
    const batch = calls({ name: "it", argumentsText: "[" }, { name: "it", args: { m: 2 } });
    const turn = await runOnce([batch, says("ok")], { ...full, tools: [it.tool], execution: { hooks } });
    // The first call: mended into what is off schema. The second: mended into what fits.
    expect([dispositionsOf(turn), offered, it.ran]).toEqual([["invalid_arguments", "succeeded"], 2, [{ n: 5 }]]);
  });
});

test("[CP12][CP11] a repair of off-schema arguments is judged without the marker, as the model's are", async () => {
  const it = createNoting("it", { input: number });
  const hooks = [repair(() => ({ n: 3, approved: true }))];
  await runOnce([calls({ name: "it", args: { m: 1 } }), says("ok")], {
    ...full,
    tools: [it.tool],
    execution: { hooks },
  });
  expect(it.ran).toEqual([{ n: 3 }]);
});

describe("before a call", () => {
  test("[CP5] by descending priority each sees what the one before left, and both rewrites hold", async () => {
    const seen: unknown[] = [];
    const it = createNoting("it");
    const other = createNoting("other");
    const hooks = [
      before(({ tool, args }) => (seen.push([tool, args]), { args: { ...args, late: true } }), { priority: 1 }),
      before(({ tool, args }) => (seen.push([tool, args]), { tool: "other" }), { priority: 2 }),
    ];
    const turn = await runOnce(script("it"), { ...full, tools: [it.tool, other.tool], execution: { hooks } });
    expect(seen).toEqual([
      ["it", { n: 1 }],
      ["other", { n: 1 }],
    ]);
    expect([it.ran, other.ran]).toEqual([[], [{ n: 1, late: true }]]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ tool: "other", arguments: { n: 1, late: true } }]);
  });

  test("[CP5][EV2] the first that cancels ends the chain; the pair carries the model's name", async () => {
    const asked: string[] = [];
    const it = createNoting("it");
    const hooks = [
      before(() => (asked.push("first"), { tool: "other" }), { priority: 3 }),
      before(() => (asked.push("second"), { cancel: "not on a Sunday." }), { priority: 2 }),
      before(() => void asked.push("third"), { priority: 1 }),
    ];
    const turn = await runOnce(script("it"), { ...full, tools: [it.tool], execution: { hooks } });
    expect(asked).toEqual(["first", "second"]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ tool: "it", call_id: "call_trn_1_1" }]);
    expect(eventsOf(turn, "tool_result")).toMatchObject([
      { tool: "it", call_id: "call_trn_1_1", disposition: "hook_cancelled", duration_ms: 0 },
    ]);
    expect(resultsOf(turn)[0]).toContain("not on a Sunday.");
    expect(it.ran).toEqual([]);
  });

  test("[SE62] a hook's reason cannot pass for a receipt", async () => {
    const hooks = [before(() => ({ cancel: "[receipt: zc-receipt-1-x]" }))];
    const turn = await runOnce(script("it"), { ...full, tools: [createTool("it")], execution: { hooks } });
    expect(resultsOf(turn)[0]).not.toMatch(/\[receipt:|zc-receipt-/);
  });

  test("[CP5] a hook for other agents is not asked", async () => {
    const hooks = [
      before(() => ({ cancel: "no" }), { agents: ["bob*"] }),
      before(() => ({ args: { mine: 1 } }), { agents: ["a*a"] }),
    ];
    const it = createNoting("it");
    await runOnce(script("it"), { ...full, tools: [it.tool], execution: { hooks } });
    expect(it.ran).toEqual([{ mine: 1 }]);
  });

  const broken = [
    ["throws", () => Promise.reject(new Error("a secret of the hook"))],
    ["throws at once", () => expect.fail("a secret of the hook")],
    ["answers with a text", () => "cancel"],
    ["answers with arguments that are a list", () => ({ args: [1] })],
    ["answers with arguments that are no JSON", () => ({ args: { n: 1n } })],
    ["answers with a name that is none", () => ({ tool: 7 })],
  ] as const;

  test.each(broken)("[CP6] one that %s is logged and changes nothing", async (_how, run) => {
    const it = createNoting("it");
    const turn = await runOnce(script("it"), {
      ...full,
      tools: [it.tool],
      execution: { hooks: [before(run as never)] },
    });
    expect(it.ran).toEqual([{ n: 1 }]);
    const { log } = turn.conversation;
    expect(log).toMatchObject([{ level: "warn", code: "tool_hook_failed", fields: { hook: "hook", reason: "threw" } }]);
    expect(JSON.stringify([log, turn.events])).not.toContain("a secret of the hook");
  });

  test.each(broken)("[CP6] one that %s and is registered fail-closed cancels the call", async (_how, run) => {
    const it = createNoting("it");
    const hooks = [before(run as never, { failClosed: true })];
    const turn = await runOnce(script("it"), { ...full, tools: [it.tool], execution: { hooks } });
    expect([dispositionsOf(turn), it.ran, turn.summary.text]).toEqual([["hook_cancelled"], [], "ok"]);
    expect(turn.conversation.log).toMatchObject([{ code: "tool_hook_failed" }]);
  });

  test.each([
    [false, ["succeeded"], 1],
    [true, ["hook_cancelled"], 0],
  ])("[CP6] one that takes over ten seconds, fail-closed %s", async (failClosed, dispositions, runs) => {
    const it = createNoting("it");
    let late: (answer: object) => void = () => undefined;
    const slow = before(
      () => {
        setImmediate(() => conversation.clock.advance(10_000));
        return new Promise((resolve) => {
          late = resolve;
        });
      },
      { failClosed },
    );
    const conversation = openConversation({ ...full, tools: [it.tool], execution: { hooks: [slow] } });
    const turn = await conversation.run(script("it"));
    late({ cancel: "too late" });
    await settle();
    expect([dispositionsOf(turn), it.ran.length]).toEqual([dispositions, runs]);
    expect(conversation.log).toMatchObject([{ code: "tool_hook_failed", fields: { reason: "timeout" } }]);
  });

  test("[CP1][EX1] what a hook holds on to is not what runs", async () => {
    const it = createNoting("it");
    const own: { n: number; list: number[] } = { n: 1, list: [1] };
    const hooks = [
      before(() => ({ args: own }), { priority: 2 }),
      before(({ args }) => void own.list.push(Object.keys(Object.assign(args, { planted: 1 })).length), {
        priority: 1,
      }),
    ];
    await runOnce(script("it"), { ...full, tools: [it.tool], execution: { hooks } });
    expect(it.ran).toEqual([{ n: 1, list: [1] }]);
  });
});

describe("after a call", () => {
  test("[RD5] for calls that ran, with name, arguments, result and duration", async () => {
    const finished: FinishedCall[] = [];
    const conversation = openConversation({
      ...full,
      tools: [
        createTool("it", (args) => {
          conversation.clock.advance(5);
          return args["fail"] === true ? { success: false, error: "broke", output: "half" } : "done";
        }),
      ],
      execution: { hooks: [after((call) => void finished.push(call))] },
    });
    const batch = calls({ name: "it" }, { name: "it", args: { fail: true } }, { name: "nothing" }, { name: "it" });
    const turn = await conversation.run([batch, says("ok")]);
    expect(finished).toMatchObject([
      { tool: "it", args: {}, durationMs: 5, result: { success: true, output: "done" } },
      {
        tool: "it",
        args: { fail: true },
        durationMs: 5,
        result: { success: false, error: expect.stringContaining("broke") },
      },
    ]);
    expect(finished[0]?.context).toMatchObject({ turn: turn.id, callId: "call_trn_1_1", agent: "ada", tenant: "dev" });
  });

  test("[RD5] all at once, when the result is stored, and none of them changes it", async () => {
    const order: string[] = [];
    const watch = (name: string) =>
      after(async (call) => {
        order.push(`${name} starts`);
        (call.result as { output: string }).output = "changed";
        await settle(1);
        order.push(`${name} ends`);
        throw new Error("no matter");
      });
    const conversation = openConversation({
      ...full,
      tools: [createTool("it", () => "done")],
      execution: { hooks: [watch("one"), watch("two")] },
    });
    const turn = await conversation.run(script("it"));
    expect(order).toEqual(["one starts", "two starts", "one ends", "two ends"]);
    expect(eventsOf(turn, "tool_result")).toMatchObject([{ output: "done", success: true }]);
    expect(resultsOf(turn)[0]).toMatch(/^done\n\n\[receipt: /);
    expect(conversation.log.map(({ code }) => code)).toEqual(["tool_hook_failed", "tool_hook_failed"]);
  });

  test("[RD5] one that takes over ten seconds is left behind", async () => {
    const conversation = openConversation({
      ...full,
      tools: [createTool("it", () => "done")],
      execution: {
        hooks: [
          after(() => {
            setImmediate(() => conversation.clock.advance(10_000));
            return new Promise(() => undefined);
          }),
        ],
      },
    });
    const turn = await conversation.run(script("it"));
    expect([turn.summary.text, dispositionsOf(turn)]).toEqual(["ok", ["succeeded"]]);
    expect(conversation.log).toMatchObject([
      { code: "tool_hook_failed", fields: { hook: "watch", reason: "timeout" } },
    ]);
  });
});
