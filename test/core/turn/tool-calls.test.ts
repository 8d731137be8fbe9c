/** What becomes of a call: parsed, prepared, judged, run or not, and told to the model. */
import { describe, expect, test } from "vitest";
import type { Tool } from "../../../src/contracts/tool.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { dispositionsOf, eventsOf, openConversation, resultsOf, runOnce } from "../../support/core-fixture.ts";
import { callOf, calls, finish, says, text } from "../../support/scripted-provider.ts";

const anything = { type: "object" } as const;
const full = { risk: { level: "full" } } as const;
/** Where a call would have to wait for a person, it is denied by a rule. */
const mayNotAsk = { narrowing: { approvals: "deny" } } as const;

/** Says what it was given, and how often it ran. */
function createEcho(name = "echo", input: object = anything) {
  const ran: unknown[] = [];
  const tool = defineTool({
    name,
    description: "Repeats its arguments.",
    input: input as typeof anything,
    execute: (args) => {
      ran.push(args);
      return JSON.stringify(args);
    },
  });
  return { tool, ran };
}

describe("parsing", () => {
  test.each([
    ["blank", "", ["succeeded"], [{}]],
    ["white space", " \n", ["succeeded"], [{}]],
    ["cut JSON", '{"a":', ["invalid_arguments"], []],
    ["a list", "[1]", ["invalid_arguments"], []],
    ["a string", '"x"', ["invalid_arguments"], []],
    ["null", "null", ["invalid_arguments"], []],
    ["a number out of range", '{"a":1e999}', ["invalid_arguments"], []],
    ["an integer that is not exact", '{"a":9007199254740993}', ["invalid_arguments"], []],
    ["half a pair in a value", String.raw`{"a":"\ud800"}`, ["invalid_arguments"], []],
    ["half a pair in a name", String.raw`{"\ud800":1}`, ["invalid_arguments"], []],
    ["65 levels", `{"a":${"[".repeat(64)}${"]".repeat(64)}}`, ["invalid_arguments"], []],
    ["100,000 levels", "[".repeat(100_000), ["invalid_arguments"], []],
    ["10,001 items", `{"a":[${"1,".repeat(10_000)}1]}`, ["invalid_arguments"], []],
    ["256 KiB and more", `{"a":"${"é".repeat(131_072)}"}`, ["invalid_arguments"], []],
    ["a member twice", '{"a":1,"a":2}', ["succeeded"], [{ a: 2 }]],
  ])("[PA4] argument text that is %s", async (...[_what, argumentsText, dispositions, ran]) => {
    const echo = createEcho();
    const turn = await runOnce([calls({ name: "echo", argumentsText }), says("ok")], { ...full, tools: [echo.tool] });
    expect(dispositionsOf(turn)).toEqual(dispositions);
    expect(echo.ran).toEqual(ran);
    expect(turn.summary.outcome).toBe("completed");
  });

  test("[HI6] valid argument text is replayed to the letter, other text as {}", async () => {
    const echo = createEcho();
    const spelled = ' {"b" : 1.0,\n"a":"\\u00e9"} ';
    const script = calls({ name: "echo", argumentsText: spelled }, { name: "echo", argumentsText: '{"a":' });
    const { conversation } = await runOnce([script, says("ok")], { ...full, tools: [echo.tool] });
    const replayed = conversation.provider.requests[1]?.messages.find(({ role }) => role === "assistant");
    expect(replayed).toMatchObject({ calls: [{ argumentsText: spelled }, { argumentsText: "{}" }] });
  });

  test("[PA3] without tools on offer a native call is ignored and the text is the answer", async () => {
    const turn = await runOnce([[text("Just words."), callOf({ name: "calculator" }), finish("tool_calls")]], {
      agent: { builtin_tools: [] },
    });
    expect(turn.summary).toMatchObject({ outcome: "completed", text: "Just words." });
    expect(eventsOf(turn, "tool_call")).toEqual([]);
    expect(turn.conversation.provider.requests[0]?.tools).toEqual([]);
  });

  test("[PA3][PV11] and if there is no text either, the response was empty", async () => {
    const onlyCalls = [callOf({ name: "calculator" }), finish("tool_calls")];
    const turn = await runOnce([onlyCalls, onlyCalls], { agent: { builtin_tools: [] } });
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "empty_response" });
  });

  test("[PA14] a response cut by its token limit runs none of its calls, and the loop goes on", async () => {
    const echo = createEcho();
    const cut = [callOf({ name: "echo", args: { a: 1 } }), callOf({ name: "echo", argumentsText: '{"b":' })];
    const turn = await runOnce([[...cut, finish("length")], says("smaller")], { ...full, tools: [echo.tool] });
    expect(dispositionsOf(turn)).toEqual(["truncated_call", "truncated_call"]);
    expect([echo.ran, turn.summary.text]).toEqual([[], "smaller"]);
  });

  test.each([
    ["the same id twice", ["p1", "p1"], ["p1", "call_trn_1_2"]],
    ["no ids", [undefined, undefined], ["call_trn_1_1", "call_trn_1_2"]],
    ["an id with a space, one of 65 characters", ["a b", "x".repeat(65)], ["call_trn_1_1", "call_trn_1_2"]],
    ["an id that the next call is minted", ["call_trn_1_2", undefined], ["call_trn_1_2", "call_trn_1_2_"]],
  ])("[PA15][PA16] %s: ids are distinct, call and result carry the same", async (_what, ids, wireIds) => {
    const echo = createEcho();
    const made = ids.map((id, at) => ({ name: "echo", args: { at }, ...(id === undefined ? {} : { id }) }));
    const turn = await runOnce([calls(...made), says("ok")], { ...full, tools: [echo.tool] });
    expect(eventsOf(turn, "tool_call").map(({ call_id }) => call_id)).toEqual(["call_trn_1_1", "call_trn_1_2"]);
    const [, assistant, results] = turn.conversation.provider.requests[1]?.messages ?? [];
    expect(assistant).toMatchObject({ calls: wireIds.map((wireId) => ({ wireId })) });
    expect(results).toMatchObject({
      results: wireIds.map((wireId, at) => ({ wireId, text: expect.stringContaining(`${at}`) })),
    });
  });

  test("[PA16] a provider id that an earlier turn used is not used again", async () => {
    const echo = createEcho();
    const conversation = openConversation({ ...full, tools: [echo.tool] });
    const script = [calls({ name: "echo", id: "p1" }), says("ok")];
    await conversation.run(script);
    const second = await conversation.run(script);
    expect(eventsOf(second, "tool_call")).toMatchObject([{ call_id: "call_trn_2_1", provider_call_id: "p1" }]);
    const wireIds = second.history.flatMap((entry) => (entry.kind === "tool" ? [entry.wireId] : []));
    expect(wireIds).toEqual(["p1", "call_trn_2_1"]);
  });

  test("[TS21][PA17] a name no provider takes is sent as another, and known by its own everywhere else", async () => {
    const name = `files.${"long_".repeat(20)}name`;
    const echo = createEcho(name);
    const conversation = openConversation({ ...full, tools: [echo.tool] });
    const [request] = (await conversation.run([says("ok")]), conversation.provider.requests);
    const sent = request?.tools.find(({ tool }) => tool === name)?.name ?? "";
    expect(sent).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
    const turn = await conversation.run([calls({ name: sent }), says("ok")]);
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ tool: name, tool_origin: "code" }]);
    expect(turn.summary.receipts).toMatchObject([{ tool: name }]);
    const replayed = conversation.provider.requests.at(-1)?.messages.find(({ role }) => role === "tool");
    expect(replayed).toMatchObject({ results: [{ name: sent }] });
  });

  test("[PA19] calls past the 64th of a response are refused, the others run", async () => {
    const echo = createEcho();
    const made = Array.from({ length: 66 }, (_, at) => ({ name: "echo", args: { at } }));
    const turn = await runOnce([calls(...made), says("ok")], { ...full, tools: [echo.tool] });
    expect(dispositionsOf(turn).filter((disposition) => disposition === "refused")).toHaveLength(2);
    expect(echo.ran).toHaveLength(64);
    expect(
      resultsOf(turn)
        .slice(64)
        .every((result) => result.includes("64")),
    ).toBe(true);
  });
});

describe("preparation", () => {
  test.each(["nothing", "constructor", "toString", "__proto__", "Calculator"])(
    "[CP7] there is no tool named %s: unknown, said so, not run",
    async (name) => {
      const turn = await runOnce([calls({ name }), says("ok")]);
      expect(dispositionsOf(turn)).toEqual(["unknown_tool"]);
      expect(resultsOf(turn)[0]).toContain(`"${name}"`);
      expect(eventsOf(turn, "tool_call")).toMatchObject([{ tool: name, tool_origin: null }]);
    },
  );

  test.each([
    ["excluded by its profile", { risk: { level: "full", excluded_tools: [" Echo "] } }, {}],
    ["not on the profile's list", { risk: { level: "full", allowed_tools: ["calculator"] } }, {}],
    ["barred by the level", { risk: { level: "read_only" } }, {}],
    ["excluded for this run", full, { excludedTools: ["ECHO"] }],
    ["not on the run's list", full, { allowedTools: ["calculator"] }],
  ] as const)("[CP7][TS4][RX5] a tool that is %s is not offered and not available", async (_how, setup, narrowing) => {
    const echo = createEcho();
    const script = [calls({ name: "echo" }, { name: "calculator", args: { expression: "1" } }), says("ok")];
    const turn = await runOnce([...script, says("ok")], { ...setup, narrowing, tools: [echo.tool] });
    expect(turn.conversation.provider.requests[0]?.tools.map(({ tool }) => tool)).not.toContain("echo");
    expect([dispositionsOf(turn)[0], echo.ran]).toEqual(["not_available", []]);
  });

  test("[CP11] a model cannot approve its own call", async () => {
    const shell = createEcho("shell");
    const turn = await runOnce([calls({ name: "shell", args: { approved: true, command: "pwd" } }), says("ok")], {
      ...mayNotAsk,
      tools: [shell.tool],
    });
    expect([dispositionsOf(turn), shell.ran]).toEqual([["denied"], []]);
  });

  test("[CP11] `approved` reaches no tool that does not declare it, and one that does gets it", async () => {
    const echo = createEcho();
    const declared = createEcho("declared", { type: "object", properties: { approved: { type: "boolean" } } });
    const args = { approved: true, a: 1 };
    await runOnce([calls({ name: "echo", args }, { name: "declared", args }), says("ok")], {
      ...full,
      tools: [echo.tool, declared.tool],
    });
    expect([echo.ran, declared.ran]).toEqual([[{ a: 1 }], [args]]);
  });

  test("[CP12] arguments with seven faults: five paths, nobody asked, not run", async () => {
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const properties = Object.fromEntries(names.map((name) => [name, { type: "integer" }]));
    const strict = createEcho("strict", { type: "object", properties });
    let asked = 0;
    const tool = { ...strict.tool, needsApproval: () => (asked += 1) > 0 };
    const args = Object.fromEntries(names.map((name) => [name, "x"]));
    const turn = await runOnce([calls({ name: "strict", args }), says("ok")], { tools: [tool] });
    expect([dispositionsOf(turn), strict.ran, asked]).toEqual([["invalid_arguments"], [], 0]);
    const named = names.filter((name) => new RegExp(`\\b${name}: `).test(resultsOf(turn)[0] ?? ""));
    expect(named).toHaveLength(5);
  });

  test.each([
    ["another order of members", { a: 1, b: 2 }, { b: 2, a: 1 }, "duplicate"],
    ["another order of items", { a: [1, 2] }, { a: [2, 1] }, "succeeded"],
    ["an approval marker besides", { a: 1 }, { a: 1, approved: true }, "duplicate"],
    ["a text for a number", { a: 1 }, { a: "1" }, "succeeded"],
  ])("[CP14][CP18] the same call with %s", async (...[_what, first, second, expected]) => {
    const echo = createEcho();
    const script = calls({ name: "echo", args: first }, { name: "echo", args: second });
    const turn = await runOnce([script, says("ok")], { ...full, tools: [echo.tool] });
    const [one, other] = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry] : []));
    expect([one?.success, other?.success]).toEqual([true, expected === "succeeded"]);
    expect(new Set(dispositionsOf(turn))).toEqual(new Set([expected, "succeeded"]));
    expect(other?.text.includes("call_trn_1_1")).toBe(expected === "duplicate");
  });

  test.each([
    ["in two iterations", {}, [[0], [0]], 2],
    ["when it is exempt by name", { tool_call_dedup_exempt: ["echo"] }, [[0, 0]], 2],
    ["when it is exempt by pattern", { tool_call_dedup_exempt: ["ec*"] }, [[0, 0]], 2],
    ["when another tool is exempt", { tool_call_dedup_exempt: ["other"] }, [[0, 0]], 1],
    ["when the guard is off", { dedup_enabled: false }, [[0, 0]], 2],
  ])("[CP18] the same call %s", async (...[_when, runtime, batches, times]) => {
    const echo = createEcho();
    const script = batches.map((batch) => calls(...batch.map(() => ({ name: "echo", args: { a: 1 } }))));
    await runOnce([...script, says("ok")], { ...full, runtime, tools: [echo.tool] });
    expect(echo.ran).toHaveLength(times);
  });

  test("[CP18] a re-entrant tool may be called twice alike", async () => {
    const echo = createEcho("delegate");
    const script = calls({ name: "delegate" }, { name: "delegate" });
    await runOnce([script, says("ok")], { ...full, tools: [echo.tool] });
    expect(echo.ran).toHaveLength(2);
  });

  test("[CP19] a call that could not be executed keeps none of its kind from running", async () => {
    const flaky = createEcho("flaky", { type: "object", required: ["a"] });
    const script = calls({ name: "flaky" }, { name: "flaky" }, { name: "nothing" }, { name: "nothing" });
    const turn = await runOnce([script, says("ok")], { ...full, tools: [flaky.tool] });
    expect(dispositionsOf(turn)).toEqual(["invalid_arguments", "invalid_arguments", "unknown_tool", "unknown_tool"]);
  });

  test("[CP2][EV5][HI2] a mixed batch: results in model order, unrun calls first in events", async () => {
    const echo = createEcho();
    const batch = calls(
      { name: "echo", args: { n: 1 } },
      { name: "nothing" },
      { name: "echo", args: { n: 2 } },
      { name: "echo", args: { n: 1 } },
      { name: "echo", argumentsText: "[" },
    );
    const turn = await runOnce([batch, says("ok")], { ...full, tools: [echo.tool] });
    expect(dispositionsOf(turn)).toEqual(["unknown_tool", "duplicate", "invalid_arguments", "succeeded", "succeeded"]);
    const answered = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
    expect(answered).toEqual([1, 2, 3, 4, 5].map((n) => `call_trn_1_${n}`));
    expect(eventsOf(turn, "tool_call").map(({ index }) => index)).toEqual([1, 3, 4, 0, 2]);
  });

  test("[CP20][CP21] what was dispatched is on the call's row: definition, arguments, their digest", async () => {
    const echo = createEcho();
    const { conversation } = await runOnce([calls({ name: "echo", args: { b: 1, a: 2 } }), says("ok")], {
      ...full,
      tools: [echo.tool],
    });
    const [row] = conversation.sql.all("SELECT definition_hash, args_digest FROM calls");
    expect(row).toEqual({
      definition_hash: echo.tool.definitionHash,
      // SHA-256 of {"a":2,"b":1}
      args_digest: "d3626ac30a87e6f7a6428233b3c68299976865fa5508e4267c5415c76af7a772",
    });
  });
});

describe("approval", () => {
  type Predicate = () => boolean | Promise<boolean>;
  const asks = (answer: Predicate): Tool => ({ ...createEcho().tool, needsApproval: answer });
  const no: Predicate = () => false;
  const yes: Predicate = () => true;
  const rejects: Predicate = () => Promise.reject(new Error("no answer"));
  test.each([
    ["an unlisted tool", {}, no, "denied"],
    ["an auto-approved one", { auto_approve: ["echo"] }, no, "succeeded"],
    ["an auto-approved one that asks for itself", { auto_approve: ["echo"] }, yes, "denied"],
    ["an auto-approved one whose predicate rejects", { auto_approve: ["*"] }, rejects, "denied"],
    ["one that is listed twice", { auto_approve: ["echo"], always_ask: ["ec*"] }, no, "denied"],
    ["any tool at level full", { level: "full", always_ask: ["*"] }, yes, "succeeded"],
  ] as const)("[AP1][AP2] %s", async (...[_which, risk, answer, expected]) => {
    const script = [calls({ name: "echo" }), says("ok")];
    const turn = await runOnce(script, { ...mayNotAsk, risk: { ...risk }, tools: [asks(answer)] });
    expect(dispositionsOf(turn)).toEqual([expected]);
  });

  test.each([
    ["the entry has nobody who could be asked", { identity: { interactive: false } }],
    ["the run may not ask", mayNotAsk],
  ])("[AP8][AP9][AP16] %s: a rule denies it, and says that no person did, and names no setting", async (_why, how) => {
    const shell = createEcho("shell");
    const turn = await runOnce([calls({ name: "shell" }), says("ok")], { ...how, tools: [shell.tool] });
    expect([dispositionsOf(turn), shell.ran, turn.summary.outcome]).toEqual([["denied"], [], "completed"]);
    const [sentence] = resultsOf(turn);
    expect(sentence).toMatch(/no person decided/i);
    expect(sentence).not.toMatch(/always_ask|auto_approve|level|profile|config|approvals:/i);
  });
});
