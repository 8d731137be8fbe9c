/** Posting and reading turns: what the object is asked, and each way the client can be answered. */
import { describe, expect, test } from "vitest";
import { failWith, succeed } from "../../src/contracts/result.ts";
import type { TurnRecord, TurnSummary } from "../../src/contracts/turn.ts";
import type { AcceptedTurn, ConversationVerbs, StartTurn } from "../../src/contracts/verbs.ts";
import { decodeCaller } from "../../src/http/caller-header.ts";
import { conversation, createEdge, type Edge, readProblem, refusalOf } from "./edge.ts";

const turns = `/v1/conversations/${conversation}/turns`;
const record: TurnRecord = {
  n: 1,
  id: "trn_1",
  agent: "assistant",
  state: "running",
  entry: "http",
  channel: "http",
  subject: "key:dev",
  narrowing: {},
  attempt: 0,
  acceptedAt: 0,
};
const summary: TurnSummary = {
  outcome: "completed",
  text: "Done.",
  usage: { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, exact: true, costUsd: 0 },
  iterations: 1,
  receipts: [],
};
const accepted: AcceptedTurn = { turn: record, after: 40, repeated: false };
const finished = { turn: { ...record, state: "completed" as const }, summary };

const startTurn = async () => succeed(accepted);
const awaitTurn = async () => succeed(finished);
const streamed = async () =>
  new Response("retry: 2000\n: open\n", { headers: { "content-type": "text/event-stream" } });
const sse = { accept: "text/event-stream" };

const startsOf = ({ calls }: Edge): readonly StartTurn[] =>
  calls.filter(({ verb }) => verb === "startTurn").map(({ args }) => args[1] as StartTurn);
const fetchesOf = ({ calls }: Edge): readonly Request[] =>
  calls.filter(({ verb }) => verb === "fetch").map(({ args }) => args[0] as Request);

/** Throws what a stub throws when its object went away; `Object.assign` gives the flags of the platform. */
const resetError = (flags: { retryable?: boolean; overloaded?: boolean }): Error =>
  Object.assign(new Error("Durable Object reset because its code was updated."), flags);

describe("what the object is asked", () => {
  test("[SE17] the caller is the principal with its own tenant, the conversation and the request", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    await edge.post(turns, { input: "hi" }, { "x-request-id": "r1" });
    expect(edge.calls[0]).toMatchObject({
      tenant: "dev",
      conversation,
      verb: "startTurn",
      args: [
        {
          principal: { tenant: "dev", subject: "key:dev", channel: "http" },
          conversation,
          requestId: "r1",
        },
        { request: { input: [{ type: "text", text: "hi" }], narrowing: {} } },
      ],
    });
    expect(startsOf(edge)[0]).not.toHaveProperty("idempotencyKey");
  });

  test("[G1][HP2] the fingerprint ignores spelling and member order, and sees every value; quotes are no part of a key", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    const send = (body: string, key: string) => edge.post(turns, body, { "idempotency-key": key });
    await send('{"input":"hi","metadata":{"a":1,"b":2}}', "k1");
    await send('{ "metadata":{"b":2.0,"a":1}, "input":"h\\u0069" }', '"k1"');
    await send('{"input":"hi","metadata":{"a":1,"b":3}}', "k1");
    const [one, same, other] = startsOf(edge);
    expect(one).toMatchObject({ idempotencyKey: "k1", fingerprint: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect([same?.idempotencyKey, same?.fingerprint]).toEqual(["k1", one?.fingerprint]);
    expect(other?.idempotencyKey).toBe("k1");
    expect(other?.fingerprint).not.toBe(one?.fingerprint);
  });

  test("[SS11] client_message_id stands in for the header, and the header wins", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    const body = { input: "hi", client_message_id: "m1" };
    await edge.post(turns, body);
    await edge.post(turns, body, { "idempotency-key": "k1" });
    expect(startsOf(edge).map(({ idempotencyKey }) => idempotencyKey)).toEqual(["m1", "k1"]);
  });

  test("[SS11] a post with a cursor hands it on with its key, or with the body's digest alone", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    const broken = await edge.post(turns, { input: "hi" }, { "last-event-id": "01", "idempotency-key": "k" });
    expect(await refusalOf(broken)).toBe("400 /problems/invalid-cursor");
    expect(edge.calls).toEqual([]);
    await edge.post(turns, { input: "hi" }, { "last-event-id": "41", "idempotency-key": "k" });
    await edge.post(turns, { input: "hi" }, { "last-event-id": "41" });
    const [keyed, bare] = startsOf(edge);
    expect(keyed).toMatchObject({ idempotencyKey: "k", resumeAfter: 41 });
    expect(bare).toMatchObject({ fingerprint: keyed?.fingerprint, resumeAfter: 41 });
    expect(bare).not.toHaveProperty("idempotencyKey");
  });

  test.each(["nobody", "retired", "constructor"])("an agent named %s is 422 at the edge", async (agent) => {
    const edge = createEdge();
    expect(await refusalOf(await edge.post(turns, { input: "hi", agent }))).toBe("422 /problems/unknown-agent");
    expect(edge.calls).toEqual([]);
  });

  test.each([
    ["https://127.0.0.1/a.png", "ip_literal"],
    ["https://u:p@example.com/a.png", "userinfo"],
    ["http://example.com/a.png", "scheme"],
    ["https://metadata.internal/a.png", "hostname"],
    ["https://example.com:22/a.png", "port"],
    ["https://agents.example/a.png", "own_host"],
  ])("[SE33][SE44] an image at %s is 422 with its class and path, and nothing is written", async (url, refusal) => {
    const edge = createEdge();
    const image = { type: "image", url, media_type: "image/png" };
    const input = [{ type: "text", text: "see" }, { ...image, url: "https://example.com/b.png" }, image];
    const turn = await edge.post(`https://agents.example${turns}`, { input }, { "idempotency-key": "k" });
    const message = await edge.post(`https://agents.example${turns}/trn_1/messages`, { input });
    for (const response of [turn, message]) {
      expect(await readProblem(response)).toMatchObject({
        status: 422,
        type: "/problems/egress-blocked",
        class: refusal,
        errors: [{ path: "input.2.url" }],
      });
    }
    expect(edge.calls).toEqual([]);
  });

  test("[SE33] an image that may be fetched, and one that brings its bytes, reach the object", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    const named = { type: "image", url: "https://example.com/b.png", media_type: "image/png" };
    await edge.post(turns, { input: [named, { type: "image", data: "aGk=", media_type: "image/png" }] });
    expect(startsOf(edge)[0]?.request.input).toHaveLength(2);
  });

  test("[RX11] what reaches the object is well-formed", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    await edge.post(turns, String.raw`{"input":"a\ud800b"}`, { "idempotency-key": "k" });
    expect(startsOf(edge)[0]?.request.input).toEqual([{ type: "text", text: "a\ufffdb" }]);
  });
});

describe("a JSON reply", () => {
  test("waits for the outcome and shows it, with the ids in the headers", async () => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    const response = await edge.post(turns, { input: "hi" });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ turn: "trn_1", state: "completed", text: "Done." });
    expect(response.headers.get("x-countersign-conversation")).toBe(conversation);
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
  });

  test.each([
    [undefined, 30],
    ["wait=5", 5],
    ["wait=0", 0],
    ["wait=121", 120],
    ["wait=soon", 30],
    ["respond-later, wait=7", 7],
  ])("Prefer %s waits %d s", async (prefer, secs) => {
    const edge = createEdge({ verbs: { startTurn, awaitTurn } });
    await edge.post(turns, { input: "hi" }, prefer === undefined ? {} : { prefer });
    expect(edge.calls[1]).toMatchObject({ verb: "awaitTurn", args: [{}, "trn_1", secs] });
  });

  test("Prefer: respond-async answers 202 at once, without waiting", async () => {
    const edge = createEdge({ verbs: { startTurn } });
    const response = await edge.post(turns, { input: "hi" }, { prefer: "respond-async" });
    expect(response.status).toBe(202);
    expect(response.headers.get("preference-applied")).toBe("respond-async");
    expect(await response.json()).toMatchObject({
      turn: "trn_1",
      links: { self: `${turns}/trn_1`, events: `/v1/conversations/${conversation}/events?turn=trn_1` },
    });
  });

  test.each(["running", "queued", "suspended"] as const)("a turn still %s is 202", async (state) => {
    const edge = createEdge({
      verbs: { startTurn, awaitTurn: async () => succeed({ turn: { ...record, state } }) },
    });
    const response = await edge.post(turns, { input: "hi" });
    expect([response.status, await response.json()]).toMatchObject([202, { state }]);
  });

  test("an object that goes away while we wait loses nothing: 202 with the accepted turn", async () => {
    const edge = createEdge({
      verbs: { startTurn, awaitTurn: async () => Promise.reject(resetError({ retryable: true })) },
    });
    const response = await edge.post(turns, { input: "hi" });
    expect([response.status, await response.json()]).toMatchObject([202, { turn: "trn_1", state: "running" }]);
    expect(edge.calls.map(({ verb }) => verb)).toEqual(["startTurn", "awaitTurn", "awaitTurn"]);
  });

  test("the object's own refusals pass as they are", async () => {
    const problem = { slug: "idempotency-mismatch", detail: "Other body." } as const;
    const { post } = createEdge({ verbs: { startTurn: async () => failWith(problem) } });
    const refused = await readProblem(await post(turns, { input: "hi" }, { "idempotency-key": "k" }));
    expect(refused).toMatchObject({ status: 422, type: "/problems/idempotency-mismatch", detail: "Other body." });
  });
});

describe("a streamed reply", () => {
  test("[SS1] the object's stream from the turn's first event on, with its headers and ours", async () => {
    const edge = createEdge({ verbs: { startTurn }, fetch: streamed });
    const response = await edge.post(turns, { input: "hi" }, { ...sse, "x-request-id": "r1" });
    const [request] = fetchesOf(edge);
    expect(request?.url).toBe("http://object/events?turn=trn_1&after=40");
    expect(decodeCaller(request?.headers ?? new Headers())).toMatchObject({
      principal: { tenant: "dev" },
      conversation,
      requestId: "r1",
    });
    expect(response.headers.get("content-type")).toBe("text/event-stream");
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
    expect(response.headers.get("x-countersign-conversation")).toBe(conversation);
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(await response.text()).toBe("retry: 2000\n: open\n");
  });

  test.each([
    ["from the cursor it brings", { "last-event-id": "43" }, 43],
    ["from the turn's start without one", {}, 40],
    ["from the turn's start with an empty one", { "last-event-id": "" }, 40],
  ])("[SS12] a repeated post attaches %s", async (_name, headers, after) => {
    const verbs = { startTurn: async () => succeed({ ...accepted, repeated: true }) };
    const edge = createEdge({ verbs, fetch: streamed });
    await edge.post(turns, { input: "hi" }, { ...sse, "idempotency-key": "k", ...headers });
    expect(fetchesOf(edge)[0]?.url).toBe(`http://object/events?turn=trn_1&after=${after}`);
  });

  test("[SS12] nothing left to send is 200 and a clean end, never 204", async () => {
    const edge = createEdge({ verbs: { startTurn }, fetch: async () => new Response(null, { status: 204 }) });
    const response = await edge.post(turns, { input: "hi" }, sse);
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
    expect(await response.text()).toBe("retry: 2000\n: open\n: end\n");
  });

  test("[SS7] an object that goes away after accept cuts the stream instead of refusing the turn", async () => {
    const edge = createEdge({ verbs: { startTurn }, fetch: async () => Promise.reject(resetError({})) });
    const response = await edge.post(turns, { input: "hi" }, sse);
    expect([response.status, await response.text()]).toEqual([200, "retry: 5000\n"]);
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
  });
});

test("[DU32] where no stream is free the turn is accepted all the same, and its stream is cut", async () => {
  const edge = createEdge({ verbs: { startTurn }, fetch: async () => new Response("{}", { status: 429 }) });
  const response = await edge.post(turns, { input: "hi" }, sse);
  expect([response.status, await response.text()]).toEqual([200, "retry: 5000\n"]);
  expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
});

describe("an object that cannot be reached", () => {
  const flaky = (flags: { retryable?: boolean; overloaded?: boolean }): Pick<ConversationVerbs, "startTurn"> => {
    let left = 1;
    return {
      startTurn: async () => {
        left -= 1;
        if (left >= 0) throw resetError(flags);
        return succeed(accepted);
      },
    };
  };
  const post = async (flags: { retryable?: boolean; overloaded?: boolean }, headers: Record<string, string>) => {
    const edge = createEdge({ verbs: flaky(flags) });
    const response = await edge.post(turns, { input: "hi" }, { prefer: "respond-async", ...headers });
    return { response, attempts: edge.calls.length, log: edge.log };
  };

  test("[DU35] a post with a key is tried once more over a fresh stub", async () => {
    const { response, attempts } = await post({ retryable: true }, { "idempotency-key": "k" });
    expect([response.status, attempts]).toEqual([202, 2]);
  });

  test.each([
    ["without a key", { retryable: true }, {}],
    ["when overloaded", { retryable: true, overloaded: true }, { "idempotency-key": "k" }],
    ["when not retryable", {}, { "idempotency-key": "k" }],
  ])("[DU35] %s nothing is tried twice: 503 with retry-after", async (_name, flags, headers) => {
    const { response, attempts, log } = await post(flags, headers);
    expect(response.headers.get("retry-after")).toBe("1");
    expect(log.map(({ code }) => code)).toEqual(["object_unreachable"]);
    expect([await refusalOf(response), attempts]).toEqual(["503 /problems/overloaded", 1]);
  });

  test("[SE72] any other exception is a bug: 500, logged by place, nothing of its message anywhere", async () => {
    const edge = createEdge({
      verbs: { startTurn: async () => Promise.reject(new RangeError("SELECT secret FROM t")) },
    });
    const response = await edge.post(turns, { input: "hi" }, { "idempotency-key": "k", "x-request-id": "r1" });
    const problem = await readProblem(response);
    expect(problem).toMatchObject({ status: 500, type: "/problems/internal", request_id: "r1" });
    expect(response.headers.get("x-request-id")).toBe("r1");
    expect(edge.calls.length).toBe(1);
    expect(edge.log).toMatchObject([
      { level: "error", code: "internal", fields: { error: "RangeError", request_id: "r1" } },
    ]);
    expect(JSON.stringify([problem, edge.log])).not.toContain("secret");
  });
});

describe("reading turns", () => {
  test("one turn, and a page of them", async () => {
    const edge = createEdge({
      verbs: { readTurn: async () => succeed(finished), listTurns: async () => succeed([finished]) },
    });
    const one = await edge.send(`${turns}/trn_1`);
    expect([one.status, await one.json()]).toMatchObject([200, { turn: "trn_1", outcome: "completed" }]);
    expect(one.headers.get("x-countersign-turn")).toBe("trn_1");
    const page = await edge.send(`${turns}?before=9&limit=1`);
    expect([page.status, await page.json()]).toMatchObject([200, { turns: [{ turn: "trn_1" }], next_before: null }]);
    expect(edge.calls.map(({ args }) => args[1])).toEqual(["trn_1", { before: 9, limit: 1 }]);
  });

  test("an unknown one is 404 as the object says", async () => {
    const missing = failWith({ slug: "not-found", detail: "There is nothing at this address." } as const);
    const { send } = createEdge({ verbs: { readTurn: async () => missing } });
    expect(await refusalOf(await send(`${turns}/trn_9`))).toBe("404 /problems/not-found");
  });
});
