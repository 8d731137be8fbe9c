/** Calls that wait for a person, over HTTP: every decision, every way to come too late, the streams meanwhile, a server that dies meanwhile. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { eventOf, framesOf, idOf, onlyEvent, typesOf } from "../support/api-client.ts";
import { readProblem, refusalOf } from "../http/edge.ts";
import {
  approvalsOf,
  type LifecycleRoom,
  onlyApprovalOf,
  openConversation,
  openLifecycleRoom,
  type TestConversation,
} from "../support/lifecycle-room.ts";
import { askCalls } from "../support/obedient-model.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";

let room: LifecycleRoom;
let conversation: TestConversation;
beforeAll(async () => {
  room = await openLifecycleRoom();
});
afterAll(() => room.close());
beforeEach(() => {
  conversation = openConversation(room.client(), "approvals");
});

/** Notes carry the conversation's id, since all tests of this file share the outside. */
const noteOf = (note: string): string => `${conversation.id} ${note}`;
const record = (note: string) => room.errand("record", noteOf(note));
const effects = (): readonly string[] =>
  room.outside.effects.flatMap((effect) =>
    effect.startsWith(conversation.id) ? [effect.slice(conversation.id.length + 1)] : [],
  );
const shownToModel = (): readonly unknown[] =>
  room.model.requests
    .at(-1)
    ?.messages.filter(({ role }) => role === "tool")
    .map(({ content }) => content) ?? [];

describe("one call that needs a person", () => {
  test("[AP3][HP2] whoever waits for the answer is told at once what the turn waits for; nothing has run", async () => {
    const before = Date.now();
    const { status, body } = await conversation.turn(askCalls(record("tea")));
    // It would have been waited for 30 s.
    expect(Date.now() - before).toBeLessThan(20_000);
    expect([status, body.state, effects()]).toEqual([202, "suspended", []]);
    expect(body.open_requests).toMatchObject({
      approvals: [
        {
          tool: "record",
          state: "pending",
          risk: "medium",
          arguments_summary: `note: ${noteOf("tea")}, port: ${room.outside.port}`,
          links: { decide: `${conversation.path}/approvals/${onlyApprovalOf({ body })}` },
        },
      ],
      client_calls: [],
    });
    const listed = await (await room.client().get(`${conversation.path}/approvals`)).json();
    expect(listed).toMatchObject({ approvals: [{ approval_id: onlyApprovalOf({ body }), state: "pending" }] });
  });

  test("[AP7][AP18][CK10] approved, it runs once, with a receipt, and the turn ends as if nobody had waited", async () => {
    const suspended = await conversation.turn(askCalls(record("tea")));
    const decided = await conversation.decide(onlyApprovalOf(suspended), { decision: "approve" });
    expect([decided.status, await decided.json()]).toMatchObject([
      200,
      { state: "decided", decided: { decision: "approve", provenance: "operator", decided_by: "key:dev" } },
    ]);
    const events = await conversation.end("trn_1");
    expect(typesOf(events).filter((type) => type !== "usage" && type !== "text_delta")).toEqual([
      "turn_accepted",
      "turn_started",
      "approval_requested",
      "turn_suspended",
      "approval_decided",
      "turn_resumed",
      "tool_call",
      "tool_result",
      "turn_finished",
    ]);
    const { receipt } = onlyEvent(events, "tool_result");
    expect(onlyEvent(events, "turn_finished")).toMatchObject({
      outcome: "completed",
      iterations: 2,
      text: "All done.",
      receipts: [{ receipt }],
    });
    expect(effects()).toEqual(["tea"]);
    expect(findPayloadFaults(room.model.requests.at(-1))).toEqual([]);
  });

  test("[AP16] denied, it does not run, and the model is told what the person said", async () => {
    const suspended = await conversation.turn(askCalls(record("tea")));
    await conversation.decide(onlyApprovalOf(suspended), { decision: "deny", note: "Coffee\u0007, please." });
    const events = await conversation.end("trn_1");
    expect(onlyEvent(events, "tool_result")).toMatchObject({ disposition: "denied", success: false });
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", receipts: [] });
    expect(shownToModel()).toEqual([
      expect.stringContaining("A person decided against this call and said: Coffee, please."),
    ]);
    expect(effects()).toEqual([]);
  });

  test("[AP15] replaced, it does not run, and the model gets the operator's text as the result", async () => {
    const suspended = await conversation.turn(askCalls(record("tea")));
    await conversation.decide(onlyApprovalOf(suspended), { decision: "replace", replacement: "Tea is\n\u001bout." });
    const events = await conversation.end("trn_1");
    const result = onlyEvent(events, "tool_result");
    expect(result).toMatchObject({ disposition: "replaced", success: true });
    expect(result).not.toHaveProperty("receipt");
    expect(shownToModel()).toEqual([expect.stringMatching(/An operator supplied[^]*\n\nTea is\nout\.$/)]);
    expect(effects()).toEqual([]);
  });

  test("[AP14] always: this call and every later one of the tool here runs; elsewhere it is asked again", async () => {
    const suspended = await conversation.turn(askCalls(record("one"), record("two")));
    const [first = ""] = approvalsOf(suspended);
    await conversation.decide(first, { decision: "always" });
    await conversation.end("trn_1");
    const second = await conversation.turn(askCalls(record("three")));
    expect([second.status, second.body.outcome]).toEqual([200, "completed"]);
    expect(effects()).toEqual(["one", "two", "three"]);
    const elsewhere = openConversation(room.client(), "elsewhere");
    expect((await elsewhere.turn(askCalls(record("four")))).body.state).toBe("suspended");
  });

  test("[AP12][CK11] nobody answers: at the deadline it is expired, not run, and the turn goes on by itself", async () => {
    const suspended = await conversation.turn(askCalls(record("tea")), { agent: "hasty" });
    const events = await conversation.end("trn_1");
    const deadline = onlyEvent(events, "approval_requested").expires_at;
    expect(onlyEvent(events, "approval_decided")).toMatchObject({ decision: null, provenance: "expired" });
    expect(onlyEvent(events, "approval_decided").at >= deadline).toBe(true);
    expect(onlyEvent(events, "tool_result")).toMatchObject({ disposition: "expired", success: false });
    expect(onlyEvent(events, "turn_finished").outcome).toBe("completed");
    const late = await conversation.decide(onlyApprovalOf(suspended), { decision: "approve" });
    expect(await refusalOf(late)).toBe("410 /problems/approval-expired");
    expect(effects()).toEqual([]);
  });

  test("[AP8][AP9] a run that may not ask is not suspended, and what it would have asked about is denied by a rule", async () => {
    const { status, body } = await conversation.turn(askCalls(record("tea")), { approvals: "deny" });
    expect([status, body.outcome]).toEqual([200, "completed"]);
    expect(onlyEvent(await conversation.log(), "tool_result")).toMatchObject({ disposition: "denied" });
    expect(effects()).toEqual([]);
  });
});

describe("a batch of three, the one in the middle needs a person", () => {
  const batch = () =>
    askCalls(room.errand("note", noteOf("first")), record("second"), room.errand("note", noteOf("third")));

  test("[AP3][DI1][HI3] nothing runs before the decision, and everything in order after it", async () => {
    const suspended = await conversation.turn(batch());
    expect(effects()).toEqual([]);
    expect(typesOf(await conversation.log())).not.toContain("tool_call");
    await conversation.decide(onlyApprovalOf(suspended), { decision: "approve" });
    const events = await conversation.end("trn_1");
    expect(effects()).toEqual(["first", "second", "third"]);
    const results = events.flatMap((event) => (event.type === "tool_result" ? [event] : []));
    expect(results.map(({ call_id: id, tool }) => [id, tool])).toEqual([
      ["call_trn_1_1", "note"],
      ["call_trn_1_2", "record"],
      ["call_trn_1_3", "note"],
    ]);
    expect(onlyEvent(events, "turn_finished").receipts.map(({ receipt }) => receipt)).toEqual(
      results.map(({ receipt }) => receipt),
    );
  });

  test("[CK8][HI3] denied: the others run, and the model has all three results in its own order", async () => {
    const suspended = await conversation.turn(batch());
    await conversation.decide(onlyApprovalOf(suspended), { decision: "deny" });
    await conversation.end("trn_1");
    expect(effects()).toEqual(["first", "third"]);
    expect(shownToModel()).toEqual([
      expect.stringContaining("first is written"),
      expect.stringContaining("decided against"),
      expect.stringContaining("third is written"),
    ]);
    expect(findPayloadFaults(room.model.requests.at(-1))).toEqual([]);
  });
});

describe("who decides first", () => {
  const invalid = "400 /problems/invalid-request";

  test("[AP6][SE22] decides: the same again is 200 and has no effect, another is 409 and names what stands", async () => {
    const approval = onlyApprovalOf(await conversation.turn(askCalls(record("tea"))));
    await conversation.decide(approval, { decision: "approve" });
    await conversation.end("trn_1");
    const size = (await conversation.log()).length;
    const again = await conversation.decide(approval, { decision: "approve" });
    expect([again.status, await again.json()]).toMatchObject([200, { decided: { decision: "approve" } }]);
    const other = await conversation.decide(approval, { decision: "deny" });
    expect([other.status, await readProblem(other)]).toMatchObject([
      409,
      { type: "/problems/approval-decided", decision: "approve" },
    ]);
    expect((await conversation.log()).length).toBe(size);
    expect(effects()).toEqual(["tea"]);
  });

  test("[AP6][SE22] ten at once: one stands, and what runs is what it says", async () => {
    const approval = onlyApprovalOf(await conversation.turn(askCalls(record("tea"))));
    const votes = Array.from({ length: 10 }, (_, at) => (at % 2 === 0 ? "approve" : "deny"));
    const answers = await Promise.all(votes.map((decision) => conversation.decide(approval, { decision })));
    const { decision } = onlyEvent(await conversation.end("trn_1"), "approval_decided");
    expect(answers.map(({ status }) => status)).toEqual(votes.map((vote) => (vote === decision ? 200 : 409)));
    expect(effects()).toEqual(decision === "approve" ? ["tea"] : []);
  });

  test("[AP18] with two open, the turn waits until both are decided, each of them announced at once", async () => {
    const suspended = await conversation.turn(askCalls(record("one"), record("two")));
    const [first = "", second = ""] = approvalsOf(suspended);
    await conversation.decide(second, { decision: "approve" });
    expect(onlyEvent(await conversation.log(), "approval_decided").approval_id).toBe(second);
    expect([(await conversation.read("trn_1")).state, effects()]).toEqual(["suspended", []]);
    await conversation.decide(first, { decision: "approve" });
    await conversation.end("trn_1");
    expect(effects()).toEqual(["one", "two"]);
  });

  test.each<[string, string, [object, string]]>([
    ["an unknown approval", "apr_call_trn_9_9", [{ decision: "approve" }, "404 /problems/not-found"]],
    ["no such decision", "apr_call_trn_1_1", [{ decision: "perhaps" }, invalid]],
    ["a replacement to an approval", "apr_call_trn_1_1", [{ decision: "approve", replacement: "x" }, invalid]],
    ["a channel of one's own", "apr_call_trn_1_1", [{ decision: "approve", channel: "slack" }, invalid]],
  ])("[SE20][SE59] %s decides nothing", async (_what, approval, [decision, refusal]) => {
    await conversation.turn(askCalls(record("tea")));
    expect(await refusalOf(await conversation.decide(approval, decision))).toBe(refusal);
    expect([(await conversation.read("trn_1")).state, effects()]).toEqual(["suspended", []]);
  });
});

describe("streams of a turn that waits", () => {
  const silent = (body: string): string => body.replaceAll(": keep-alive\n", "");

  test("[DU33][SS4] the stream of the post ends by itself, with a hint when to come back", async () => {
    const accept = { accept: "text/event-stream" };
    const response = await room.client().post(`${conversation.path}/turns`, { input: askCalls(record("tea")) }, accept);
    const body = silent(await response.text());
    expect(body.endsWith("}\n\nretry: 5000\n")).toBe(true);
    expect(framesOf(body).map(eventOf).at(-1)?.type).toBe("turn_suspended");
  });

  test.each([
    ["of the turn", "turn=trn_1&"],
    ["of the conversation", ""],
  ])("[DU33][SS4] a reader %s that comes back in vain is sent away for longer", async (_which, scope) => {
    await conversation.turn(askCalls(record("tea")));
    const last = (await conversation.log()).length;
    const whole = silent(await (await conversation.stream(`${scope}after=0`)).text());
    expect(whole.endsWith("}\n\nretry: 5000\n")).toBe(true);
    const nothing = await conversation.stream(`${scope}after=${last}`);
    expect([nothing.status, silent(await nothing.text())]).toEqual([200, "retry: 2000\n: open\nretry: 30000\n"]);
  });

  test("[DU33][G4] a decision that comes while somebody reads is read, and so is the rest, to the end", async () => {
    const suspended = await conversation.turn(askCalls(record("tea")));
    const last = (await conversation.log()).length;
    const reading = await conversation.stream(`turn=trn_1&after=${last}`);
    await conversation.decide(onlyApprovalOf(suspended), { decision: "approve" });
    const frames = framesOf(await reading.text());
    expect(frames.map(idOf)).toEqual(frames.map((_, at) => String(last + 1 + at)));
    expect(frames.map(eventOf).at(0)?.type).toBe("approval_decided");
    expect(frames.map(eventOf).at(-1)?.type).toBe("turn_finished");
  });
});

describe("the server dies while somebody is asked", () => {
  test("[CK1][G10][AP5] what was asked is still there, can be decided, and runs exactly once; what is overdue expires", async () => {
    const decided = onlyApprovalOf(
      await conversation.turn(askCalls(record("tea"), room.errand("note", noteOf("milk")))),
    );
    const forgotten = openConversation(room.client(), "forgotten");
    await forgotten.turn(askCalls(record("nothing")), { agent: "hasty" });
    await room.killAndRestart();
    const after = openConversation(room.client(), "", conversation.id);
    expect(await after.read("trn_1")).toMatchObject({
      state: "suspended",
      open_requests: { approvals: [{ approval_id: decided }] },
    });
    expect((await after.decide(decided, { decision: "approve" })).status).toBe(200);
    const events = await after.end("trn_1");
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", iterations: 2 });
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
    expect((await after.decide(decided, { decision: "approve" })).status).toBe(200);
    expect(effects()).toEqual(["tea", "milk"]);
    const expired = await openConversation(room.client(), "", forgotten.id).end("trn_1");
    expect(onlyEvent(expired, "tool_result").disposition).toBe("expired");
  }, 120_000);
});
