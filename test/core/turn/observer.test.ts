/** What the observer is told of a turn, on every way out of it. */
import { describe, expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import type { ObserverRecord } from "../../../src/contracts/observer.ts";
import { type CoreSetup, type TurnSetup, openConversation } from "../../support/core-fixture.ts";
import { calls, fault, finish, says, type ScriptedResponse, text } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

type RecordOf<Type extends ObserverRecord["type"]> = Extract<ObserverRecord, { type: Type }>;

/** `supersede`: another writer takes the turn over while the first call runs, so that its record is refused. */
type WatchSetup = CoreSetup & TurnSetup & { readonly supersede?: true };

/** Runs one turn and gives what the observer was told, also when the loop throws. */
async function watch(script: readonly ScriptedResponse[], setup: WatchSetup = {}) {
  const records: ObserverRecord[] = [];
  const conversation = openConversation({
    risk: { level: "full" },
    ...setup,
    execution: { observe: (record) => void records.push(record), ...setup.execution },
  });
  const sync = async (): Promise<void> => {
    if (setup.supersede) conversation.sql.run("UPDATE turns SET attempt = attempt + 1");
  };
  const turn = await conversation.run(script, { ...setup, sync }).catch((thrown: unknown) => ({ thrown }));
  const ofType = <Type extends ObserverRecord["type"]>(type: Type): readonly RecordOf<Type>[] =>
    records.filter((record): record is RecordOf<Type> => record.type === type);
  return { records, types: records.map(({ type }) => type), ofType, turn, conversation };
}

const it = createTool("it", () => "done");
const hanging = (cancel: AbortController) =>
  createTool("it", () => {
    setImmediate(() => cancel.abort());
    return new Promise(() => undefined);
  });

describe("starts and ends", () => {
  test("[EV11][RD3] a turn with one tool, in order", async () => {
    const { types, records, ofType, turn } = await watch([calls({ name: "it", id: "p1" }), says("ok")], {
      tools: [it],
    });
    expect(types).toEqual([
      "agent_start",
      "llm_request",
      "llm_response",
      "tool_call_start",
      "tool_call",
      "llm_request",
      "llm_response",
      "turn_complete",
      "agent_end",
    ]);
    expect(ofType("llm_request").map(({ iteration, provider, model }) => [iteration, provider, model])).toEqual([
      [1, "scripted", "script-1"],
      [2, "scripted", "script-1"],
    ]);
    const tokens = { inputTokens: 100, outputTokens: 10, costUsd: 0.0002 };
    expect(ofType("llm_response")).toMatchObject([
      { accepted: true, usage: tokens },
      { accepted: true, usage: tokens },
    ]);
    expect([ofType("turn_complete"), ofType("agent_end")]).toMatchObject([
      [{ outcome: "completed" }],
      [{ outcome: "final" }],
    ]);
    const context = { turn: "trn_1", channel: "http", agent: "ada" };
    for (const record of records) expect(record).toMatchObject(context);
    expect(turn).toHaveProperty("summary");
  });

  const cut: readonly ModelEvent[] = [text("So f"), fault()];
  const ways: readonly (readonly [string, () => readonly [readonly ScriptedResponse[], WatchSetup], string])[] = [
    ["an answer", () => [[says("ok")], {}], "final"],
    ["a provider that fails", () => [[cut], {}], "failed"],
    ["an empty answer twice", () => [[[finish()], [finish()]], {}], "failed"],
    [
      "the cap",
      () => [[calls({ name: "it" }), says("sum")], { tools: [it], runtime: { max_tool_iterations: 1 } }],
      "capped",
    ],
    [
      "a loop",
      () => [[...Array.from({ length: 5 }, () => calls({ name: "it" })), says("so")], { tools: [it] }],
      "stopped",
    ],
    [
      "a cancel in a call",
      () => {
        const cancel = new AbortController();
        return [[calls({ name: "it" })], { tools: [hanging(cancel)], cancel: cancel.signal }];
      },
      "cancelled",
    ],
    [
      "a cancel while the model speaks",
      () => {
        const cancel = new AbortController();
        async function* speaking() {
          yield text("So f");
          cancel.abort();
          yield text("ar");
        }
        return [[speaking], { cancel: cancel.signal }];
      },
      "cancelled",
    ],
    [
      "a bug in the provider",
      () => [
        [
          // oxlint-disable-next-line require-yield -- it throws before it could
          async function* () {
            throw new Error("a bug");
          },
        ],
        {},
      ],
      "failed",
    ],
    ["a record that cannot be written", () => [[calls({ name: "it" })], { tools: [it], supersede: true }], "failed"],
  ];

  test.each(ways)("[EV11][RD3] %s: each start has its end", async (_way, prepare, outcome) => {
    const [script, setup] = prepare();
    const { types, ofType } = await watch(script, setup);
    const count = (type: ObserverRecord["type"]): number => types.filter((each) => each === type).length;
    expect([count("agent_start"), count("agent_end")]).toEqual([1, 1]);
    expect(count("llm_response")).toBe(count("llm_request"));
    expect(ofType("tool_call").map(({ callId }) => callId)).toEqual(
      ofType("tool_call_start").map(({ callId }) => callId),
    );
    expect([types[0], types.at(-1)]).toEqual(["agent_start", "agent_end"]);
    expect(ofType("agent_end")[0]?.outcome).toBe(outcome);
  });

  test("[PV15] what was rejected is not accepted: nothing said, cut off, a stream that broke", async () => {
    const { ofType } = await watch([[finish()], says("ok")]);
    expect(ofType("llm_response").map(({ accepted }) => accepted)).toEqual([false, true]);
    const broken = await watch([[text("So f"), fault()]]);
    expect(broken.ofType("llm_response")).toEqual([expect.not.objectContaining({ usage: expect.anything() })]);
    expect(broken.ofType("llm_response")[0]?.accepted).toBe(false);
  });
});

describe("calls", () => {
  test("[RD4] both records carry the same names, ids and arguments; the end adds what became of it", async () => {
    const { ofType } = await watch([calls({ name: "it", id: "p1", args: { a: 1 } }), says("ok")], {
      tools: [createTool("it", (_args, { callId }) => ({ success: false, error: `no ${callId}` }))],
    });
    const call = { tool: "it", callId: "call_trn_1_1", providerCallId: "p1", arguments: { a: 1 } };
    expect(ofType("tool_call_start")).toEqual([expect.objectContaining(call)]);
    expect(ofType("tool_call")).toEqual([
      expect.objectContaining({
        ...call,
        success: false,
        disposition: "failed",
        durationMs: 0,
        result: expect.stringContaining("no call_trn_1_1"),
      }),
    ]);
  });

  test("[RD3] interrupted and timed-out calls have their pair too", async () => {
    const cancel = new AbortController();
    const interrupted = await watch([calls({ name: "it" })], { tools: [hanging(cancel)], cancel: cancel.signal });
    expect(interrupted.ofType("tool_call")).toMatchObject([{ disposition: "interrupted", success: false }]);
    const slow = createTool(
      "it",
      () => {
        setImmediate(() => late.advance(1000));
        return new Promise(() => undefined);
      },
      { timeoutSecs: 1 },
    );
    const records: ObserverRecord[] = [];
    const conversation = openConversation({
      risk: { level: "full" },
      tools: [slow],
      execution: { observe: (record) => void records.push(record) },
    });
    const late = conversation.clock;
    await conversation.run([calls({ name: "it" }), says("ok")]);
    expect(records.filter(({ type }) => type.startsWith("tool_call"))).toMatchObject([
      { type: "tool_call_start" },
      { type: "tool_call", disposition: "timed_out", durationMs: 1000 },
    ]);
  });

  test("[RD7] a call that never ran has neither", async () => {
    const { ofType } = await watch([calls({ name: "nothing" }, { name: "it", argumentsText: "[" }), says("ok")], {
      tools: [it],
    });
    expect([ofType("tool_call_start"), ofType("tool_call")]).toEqual([[], []]);
  });

  test("[RD3][LC31] a call whose record cannot be written: its end says that nobody knows", async () => {
    const { ofType, turn } = await watch([calls({ name: "it" })], { tools: [it], supersede: true });
    expect(turn).toMatchObject({ thrown: { message: "call_trn_1_1 was settled twice" } });
    expect(ofType("tool_call")).toMatchObject([{ disposition: "outcome_unknown", success: false, result: "" }]);
  });

  test("[EV14] it is told when a result was bounded, and when what is stored is not all of it", async () => {
    const { ofType } = await watch([calls({ name: "it" }), says("ok")], {
      tools: [createTool("it", () => "😀".repeat(200))],
      runtime: { max_tool_result_chars: 100, max_stored_result_bytes: 401 },
    });
    expect(ofType("result_bounded")).toMatchObject([{ callId: "call_trn_1_1", charsBefore: 200, charsAfter: 100 }]);
    expect(ofType("result_incomplete")).toMatchObject([{ callId: "call_trn_1_1", storedBytes: 400 }]);
    const whole = await watch([calls({ name: "it" }), says("ok")], { tools: [it] });
    expect(whole.types.filter((type) => type.startsWith("result_"))).toEqual([]);
  });

  test("[RD4][RE20][RE22][RE28] arguments and result are redacted whole, then bounded", async () => {
    const secret = "hunter-two-hunter-two";
    const { ofType, turn } = await watch(
      [calls({ name: "it", args: { api_key: { x: 1 }, note: secret, long: "y".repeat(9000) } }), says("ok")],
      { tools: [createTool("it", () => `${secret} ${"x".repeat(6000)}`)], secrets: [secret] },
    );
    const [start, end] = [ofType("tool_call_start")[0], ofType("tool_call")[0]];
    for (const told of [JSON.stringify(start?.arguments), end?.result ?? ""]) {
      expect(told).not.toContain("hunter");
      expect([...told].length).toBeLessThanOrEqual(4200);
    }
    expect(start?.arguments).toEqual(expect.stringMatching(/^\{"api_key":"\[REDACTED\]","note":"\[REDACTED:own\]"/));
    expect(JSON.stringify("history" in turn && turn.history)).toContain(secret);
  });
});

describe("an observer that fails", () => {
  test("[EV12] changes nothing, and the log says so", async () => {
    const script = [calls({ name: "it" }), says("ok")];
    const observe = (): never => {
      throw new Error("no");
    };
    const failing = await watch(script, { tools: [it], execution: { observe } });
    const well = await watch(script, { tools: [it] });
    expect("events" in failing.turn && failing.turn.events).toEqual("events" in well.turn && well.turn.events);
    expect(new Set(failing.conversation.log.map(({ code }) => code))).toEqual(new Set(["observer_failed"]));
  });
});
