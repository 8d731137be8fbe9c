/** Verbs to a turn under way, over HTTP: cancel in every phase, words to it, a second turn beside it, results of the client's own tools. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventOf, framesOf, onlyEvent, typesOf } from "../support/api-client.ts";
import { readProblem, refusalOf } from "../http/edge.ts";
import {
  type LifecycleRoom,
  onlyApprovalOf,
  openConversation,
  openLifecycleRoom,
  type TestConversation,
  type TurnDocument,
} from "../support/lifecycle-room.ts";
import { askCalls, askWords, type Errand } from "../support/obedient-model.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";

const clientTool = (name: string, more: object = {}) => ({
  kind: "client",
  name,
  description: "Asks whoever sits at the device.",
  input_schema: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
  ...more,
});

let room: LifecycleRoom;
let conversation: TestConversation;
beforeAll(async () => {
  room = await openLifecycleRoom({
    agents: { trusting: { model_provider: "model", risk_profile: "trusting" } },
    risk_profiles: { trusting: { level: "full" } },
    tools: [
      clientTool("ask_user"),
      clientTool("ask_owner", { risk: "high" }),
      clientTool("ask_briefly", { tool_timeout_secs: 1 }),
    ],
  });
});
afterAll(() => room.close());
beforeEach(() => {
  conversation = openConversation(room.client(), "verbs");
});

const noteOf = (note: string): string => `${conversation.id} ${note}`;
const note = (words: string): Errand => room.errand("note", noteOf(words));
const record = (words: string): Errand => room.errand("record", noteOf(words));
const slow = (ms: number): Errand => ({ name: "slow", args: { ms } });
const ask = (name: string, question = "Tea?"): Errand => ({ name, args: { question } });
const effects = (): readonly string[] =>
  room.outside.effects.flatMap((effect) =>
    effect.startsWith(conversation.id) ? [effect.slice(conversation.id.length + 1)] : [],
  );
const lastRequest = () => room.model.requests.at(-1);
const rolesOf = (): readonly string[] => lastRequest()?.messages.map(({ role }) => role) ?? [];
/** Milliseconds from one moment to the end of a turn, both by the one clock of this machine. */
const msUntilEnd = async (since: number): Promise<number> =>
  Date.parse(onlyEvent(await conversation.end("trn_1"), "turn_finished").at) - since;

/** A cancelled turn leaves a history that the next one can be run on. */
async function expectNextTurnRuns(): Promise<void> {
  const next = await conversation.turn("and now?");
  expect(next.body).toMatchObject({ outcome: "completed", text: expect.stringContaining("and now?") });
  expect(findPayloadFaults(lastRequest())).toEqual([]);
}

describe("cancel", () => {
  test("[CK13][AP13] while somebody is asked: nothing runs, and there is nothing left to decide", async () => {
    const approval = onlyApprovalOf(await conversation.turn(askCalls(note("one"), record("two"))));
    expect((await conversation.cancel("trn_1")).status).toBe(202);
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "approval_decided")).toMatchObject({ decision: null, provenance: "cancelled" });
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event.disposition] : []));
    expect(results).toEqual(["interrupted", "cancelled"]);
    expect(onlyEvent(events, "turn_finished").outcome).toBe("cancelled");
    const late = await conversation.decide(approval, { decision: "approve" });
    expect(await refusalOf(late)).toBe("409 /problems/approval-void");
    expect(effects()).toEqual([]);
    await expectNextTurnRuns();
  });

  test("[G11][DI5][DI8] while a tool runs that does not listen: over within a second, and what follows it never starts", async () => {
    await conversation.start(askCalls(slow(60_000), note("two")));
    await conversation.until("trn_1", ({ type }) => type === "tool_call");
    const since = Date.now();
    expect((await conversation.cancel("trn_1")).status).toBe(202);
    expect(await msUntilEnd(since)).toBeLessThanOrEqual(1000);
    const events = await conversation.log("trn_1");
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(results.map(({ tool, disposition }) => [tool, disposition])).toEqual([
      ["slow", "interrupted"],
      ["note", "interrupted"],
    ]);
    expect(results[0]?.output).toContain("may or may not have taken effect");
    expect(results[1]?.output).toContain("not run");
    expect(onlyEvent(events, "turn_finished").outcome).toBe("cancelled");
    expect(effects()).toEqual([]);
    await expectNextTurnRuns();
  });

  test("[G11][HI10] while the model streams: over within a second, and what was shown is kept", async () => {
    await conversation.start(askWords(600));
    await conversation.until("trn_1", ({ type }) => type === "text_delta");
    const since = Date.now();
    expect((await conversation.cancel("trn_1")).status).toBe(202);
    expect(await msUntilEnd(since)).toBeLessThanOrEqual(1000);
    const events = await conversation.log("trn_1");
    const streamed = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    expect(streamed.length).toBeGreaterThan(0);
    const { outcome, text } = onlyEvent(events, "turn_finished");
    expect([outcome, text.trim()]).toEqual(["cancelled", streamed.trim()]);
    await expectNextTurnRuns();
  });

  test("[G11] before it began: it never begins, and the one under way is left alone", async () => {
    await conversation.start(askCalls(slow(1500)));
    await conversation.start(askCalls(note("never")));
    expect((await conversation.cancel("trn_2")).status).toBe(202);
    expect(onlyEvent(await conversation.end("trn_1"), "turn_finished").outcome).toBe("completed");
    expect(typesOf(await conversation.log("trn_2"))).toEqual(["turn_accepted", "turn_finished"]);
    expect((await conversation.read("trn_2")).outcome).toBe("cancelled");
    expect(effects()).toEqual([]);
  });

  test("[G11] again is the same, after another end it is 409, of nothing it is 404", async () => {
    await conversation.turn(askCalls(record("tea")));
    await conversation.cancel("trn_1");
    await conversation.end("trn_1");
    const size = (await conversation.log()).length;
    const again = await conversation.cancel("trn_1");
    expect([again.status, await again.json()]).toMatchObject([202, { state: "cancelled" }]);
    expect((await conversation.log()).length).toBe(size);
    await conversation.turn("hello");
    expect(await refusalOf(await conversation.cancel("trn_2"))).toBe("409 /problems/turn-finished");
    expect(await refusalOf(await conversation.cancel("trn_9"))).toBe("404 /problems/not-found");
  });
});

describe("words to a turn under way", () => {
  test("[LC26] while it waits for somebody: they are used after the decision, behind the round", async () => {
    const approval = onlyApprovalOf(await conversation.turn(askCalls(record("tea"))));
    expect((await conversation.say("trn_1", "with milk")).status).toBe(202);
    expect(typesOf(await conversation.log())).not.toContain("steering");
    await conversation.decide(approval, { decision: "approve" });
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "steering").text).toBe("with milk");
    expect(typesOf(events).indexOf("steering")).toBeGreaterThan(typesOf(events).indexOf("tool_result"));
    expect(onlyEvent(events, "turn_finished").text).toBe("Heard: with milk");
    expect(rolesOf()).toEqual(["system", "user", "assistant", "tool", "user"]);
  });

  test("[LC26] while a tool runs: the running batch does not see them, the next iteration does, in order", async () => {
    await conversation.start(askCalls(slow(1500)));
    await conversation.until("trn_1", ({ type }) => type === "tool_call");
    await conversation.say("trn_1", "first");
    await conversation.say("trn_1", "then");
    const events = await conversation.end("trn_1");
    const said = events.flatMap((event) => (event.type === "steering" ? [event.text] : []));
    expect(said).toEqual(["first", "then"]);
    expect(onlyEvent(events, "tool_result").disposition).toBe("succeeded");
    expect(onlyEvent(events, "turn_finished").text).toMatch(/first[^]*then/);
    expect(findPayloadFaults(lastRequest())).toEqual([]);
  });

  test("[LC27] in its last iteration: they become the next turn, once", async () => {
    await conversation.start(askWords(40), { max_tool_iterations: 1 });
    await conversation.until("trn_1", ({ type }) => type === "text_delta");
    expect((await conversation.say("trn_1", "too late")).status).toBe(202);
    expect(typesOf(await conversation.end("trn_1"))).not.toContain("steering");
    const events = await conversation.end("trn_2");
    expect(onlyEvent(events, "turn_accepted")).toMatchObject({ entry: "steering", input: "too late" });
    expect(onlyEvent(events, "turn_finished").text).toBe("Heard: too late");
  });

  test("[LC26] to one that has ended, or that nobody has begun, they are refused", async () => {
    await conversation.turn("hello");
    expect(await refusalOf(await conversation.say("trn_1", "more"))).toBe("409 /problems/turn-not-running");
    expect(await refusalOf(await conversation.say("trn_9", "more"))).toBe("404 /problems/not-found");
    expect((await conversation.log()).every(({ turn }) => turn === "trn_1")).toBe(true);
  });
});

describe("a second turn while the first one waits for somebody", () => {
  let approval: string;
  beforeEach(async () => {
    approval = onlyApprovalOf(await conversation.turn(askCalls(record("tea"))));
  });
  const approve = async (): Promise<unknown> => await conversation.decide(approval, { decision: "approve" });

  test("[LC28] queue: it begins when the first one has ended", async () => {
    expect(await conversation.start("me too", { on_busy: "queue" })).toBe("trn_2");
    expect(typesOf(await conversation.log("trn_2"))).toEqual(["turn_accepted"]);
    await approve();
    const began = onlyEvent(await conversation.end("trn_2"), "turn_started").seq;
    expect(began).toBe(onlyEvent(await conversation.log("trn_1"), "turn_finished").seq + 1);
  });

  test("[LC28] reject: 409, and nothing is written", async () => {
    const size = (await conversation.log()).length;
    const response = await room.client().post(`${conversation.path}/turns`, { input: "me too", on_busy: "reject" });
    expect(await refusalOf(response)).toBe("409 /problems/turn-busy");
    expect((await conversation.log()).length).toBe(size);
  });

  test("[LC28] steer: it is said to the first one, whose turn it is answered with", async () => {
    expect(await conversation.start("with milk", { on_busy: "steer" })).toBe("trn_1");
    await approve();
    expect(onlyEvent(await conversation.end("trn_1"), "turn_finished").text).toBe("Heard: with milk");
  });

  test("[LC28][AP8] interrupt: the first one is cancelled, its question superseded, and the second one runs", async () => {
    const { status, body } = await conversation.turn("me instead", { on_busy: "interrupt" });
    expect([status, body.turn, body.outcome]).toEqual([200, "trn_2", "completed"]);
    const events = await conversation.log("trn_1");
    expect(onlyEvent(events, "approval_decided")).toMatchObject({ decision: null, provenance: "superseded" });
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "cancelled", reason: "interrupt" });
    const late = await conversation.decide(approval, { decision: "approve" });
    expect(await refusalOf(late)).toBe("409 /problems/approval-void");
    expect(effects()).toEqual([]);
    expect(findPayloadFaults(lastRequest())).toEqual([]);
  });
});

test("[LC28] interrupt while the first one runs: it ends, then the second one begins", async () => {
  await conversation.start(askCalls(slow(60_000)));
  await conversation.until("trn_1", ({ type }) => type === "tool_call");
  const { body } = await conversation.turn("me instead", { on_busy: "interrupt" });
  expect([body.turn, body.outcome]).toEqual(["trn_2", "completed"]);
  const ended = onlyEvent(await conversation.log("trn_1"), "turn_finished");
  expect(ended.outcome).toBe("cancelled");
  expect(onlyEvent(await conversation.log("trn_2"), "turn_started").seq).toBeGreaterThan(ended.seq);
});

describe("tools that the client runs", () => {
  const callsOf = ({ open_requests: open }: TurnDocument) => open?.client_calls ?? [];

  test("[TC27][DI11] the server's calls run first; then the client is asked, and its word is the result", async () => {
    const { status, body } = await conversation.turn(askCalls(ask("ask_user"), note("tea")));
    const [call] = callsOf(body);
    expect([status, body.state, effects()]).toEqual([202, "suspended", ["tea"]]);
    expect(call).toMatchObject({ tool: "ask_user", arguments: { question: "Tea?" } });
    const offered = onlyEvent(await conversation.log(), "client_tool_requested");
    expect(offered).toMatchObject({ call_id: call?.call_id, tool_origin: "client", arguments: { question: "Tea?" } });
    const answered = await conversation.answer("trn_1", { call_id: call?.call_id, output: "Yes.", data: { cups: 2 } });
    expect(answered.status).toBe(200);
    const events = await conversation.end("trn_1");
    const result = events.find((event) => event.type === "tool_result" && event.tool === "ask_user");
    expect(result).toMatchObject({ disposition: "client_result", success: true, output: "Yes.", data: { cups: 2 } });
    expect(result).not.toHaveProperty("receipt");
    const shown = lastRequest()?.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
    expect(shown).toEqual(["Yes.", expect.stringContaining("tea is written down")]);
    expect(onlyEvent(events, "turn_finished").receipts).toHaveLength(1);
  });

  test("[TC28] in any order and in several posts; one bad result and none of the post is taken", async () => {
    const { body } = await conversation.turn(askCalls(ask("ask_user", "Tea?"), ask("ask_user", "Milk?")));
    const [tea, milk] = callsOf(body).map(({ call_id: id }) => id);
    const bad = await conversation.answer(
      "trn_1",
      { call_id: milk, output: "No." },
      { call_id: "call_trn_1_9", output: "?" },
    );
    expect([bad.status, await readProblem(bad)]).toMatchObject([
      409,
      { type: "/problems/tool-result-conflict", errors: [{ path: "call_trn_1_9" }] },
    ]);
    expect((await conversation.answer("trn_1", { call_id: milk, error: "Nobody is here." })).status).toBe(200);
    expect((await conversation.read("trn_1")).state).toBe("suspended");
    const twice = await conversation.answer("trn_1", { call_id: milk, output: "Yes!" });
    expect(await refusalOf(twice)).toBe("409 /problems/tool-result-conflict");
    expect((await conversation.answer("trn_1", { call_id: tea, output: "Yes." })).status).toBe(200);
    await conversation.end("trn_1");
    const shown = lastRequest()?.messages.flatMap(({ role, content }) => (role === "tool" ? [content] : []));
    expect(shown).toEqual(["Yes.", "Error: Nobody is here."]);
    const after = await conversation.answer("trn_1", { call_id: tea, output: "No." });
    expect(await refusalOf(after)).toBe("409 /problems/tool-result-conflict");
  });

  test("[CK12][TC27] one that needs a person is asked about first and offered after that", async () => {
    const approval = onlyApprovalOf(await conversation.turn(askCalls(ask("ask_owner"))));
    const reading = await conversation.stream(`turn=trn_1&after=${(await conversation.log()).length}`);
    await conversation.decide(approval, { decision: "approve" });
    const events = framesOf(await reading.text()).map(eventOf);
    expect(onlyEvent(events, "turn_suspended")).toMatchObject({ reason: "client_tool", approval_ids: [] });
    const { call_id: id } = onlyEvent(events, "client_tool_requested");
    await conversation.answer("trn_1", { call_id: id, output: "Yes." });
    const all = await conversation.end("trn_1");
    expect(typesOf(all).filter((type) => type === "turn_suspended" || type === "turn_resumed")).toEqual([
      "turn_suspended",
      "turn_resumed",
      "turn_suspended",
      "turn_resumed",
    ]);
    expect(onlyEvent(all, "turn_finished")).toMatchObject({ outcome: "completed", iterations: 2 });
  });

  test("[DI11][TC28] that are not answered in time end the wait, and nobody claims to know whether they ran", async () => {
    const { body } = await conversation.turn(askCalls(ask("ask_briefly")), { agent: "trusting" });
    expect(callsOf(body)).toHaveLength(1);
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "tool_result")).toMatchObject({ disposition: "timed_out", success: false });
    expect(onlyEvent(events, "tool_result").output).toContain("not known");
    expect(onlyEvent(events, "turn_finished").outcome).toBe("completed");
    const late = await conversation.answer("trn_1", { call_id: callsOf(body)[0]?.call_id, output: "Yes." });
    expect(await refusalOf(late)).toBe("409 /problems/tool-result-conflict");
  });

  test("[CK13][DI11] a cancel withdraws them", async () => {
    const { body } = await conversation.turn(askCalls(ask("ask_user")));
    expect((await conversation.cancel("trn_1")).status).toBe(202);
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "tool_result").disposition).toBe("interrupted");
    expect(onlyEvent(events, "turn_finished").outcome).toBe("cancelled");
    const late = await conversation.answer("trn_1", { call_id: callsOf(body)[0]?.call_id, output: "Yes." });
    expect(await refusalOf(late)).toBe("409 /problems/tool-result-conflict");
    await expectNextTurnRuns();
  });

  test("[TC27][CP11] arguments that do not fit are not offered to anybody", async () => {
    const { status } = await conversation.turn(askCalls({ name: "ask_user", args: { question: 7 } }));
    expect(status).toBe(200);
    const events = await conversation.log();
    expect(onlyEvent(events, "tool_result").disposition).toBe("invalid_arguments");
    expect(typesOf(events)).not.toContain("client_tool_requested");
  });

  test("[TC16] they are listed like any other", async () => {
    const listed: { tools: object[] } = await (await room.client().get("/v1/tools?agent=model")).json();
    expect(listed.tools).toContainEqual(
      expect.objectContaining({ tool: "ask_owner", tool_origin: "client", client: true, risk: "high", prompts: true }),
    );
  });
});
