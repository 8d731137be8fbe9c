/** Everything beside turns: conversations, events, raw results, receipts, agents, tools. */
import { describe, expect, test } from "vitest";
import { succeed } from "../../src/contracts/result.ts";
import { conversation, createEdge, type Edge, readProblem, refusalOf } from "./edge.ts";

const base = `/v1/conversations/${conversation}`;
const token = `zc-receipt-1774608496-${"A".repeat(43)}`;
const sse = { accept: "text/event-stream" };
const requestsOf = ({ calls }: Edge): readonly Request[] => calls.map(({ args }) => args[0] as Request);
const urlsOf = (edge: Edge): readonly string[] => requestsOf(edge).map(({ url }) => url);
const reset = async (): Promise<never> => await Promise.reject(new Error("Network connection lost."));

describe("conversations", () => {
  test("[SE16] a created one has an unguessable id, a Location and 201", async () => {
    const edge = createEdge({
      verbs: {
        createConversation: async (caller, create) =>
          succeed({ id: caller.conversation, agent: create.agent ?? "assistant", createdAt: 0 }),
      },
    });
    const responses = await Promise.all([1, 2].map(() => edge.post("/v1/conversations", { agent: "assistant" })));
    const ids = edge.calls.map((call) => call.conversation);
    expect(new Set(ids).size).toBe(2);
    for (const [index, response] of responses.entries()) {
      const id = ids[index] ?? "";
      expect(id).toMatch(/^conv_[0-9A-Za-z]{22}$/);
      expect(response.status).toBe(201);
      expect(response.headers.get("location")).toBe(`/v1/conversations/${id}`);
      expect(response.headers.get("x-countersign-conversation")).toBe(id);
      expect(await response.json()).toMatchObject({ conversation: id, agent: "assistant" });
    }
  });

  test.each([
    ["none at all", {}],
    ["none, with its media type named", { headers: { "content-type": "application/json" } }],
    ["an empty one", { body: "", headers: { "content-type": "application/json", "content-length": "0" } }],
  ])("a body may be left out: %s", async (_, init) => {
    const edge = createEdge({
      verbs: { createConversation: async ({ conversation: id }) => succeed({ id, agent: "assistant", createdAt: 0 }) },
    });
    const response = await edge.send("/v1/conversations", { method: "POST", ...init });
    expect([response.status, edge.calls[0]?.args[1]]).toEqual([201, {}]);
  });

  test("[SE52][SE57] a body that is there is judged like any", async () => {
    const edge = createEdge();
    const send = async (type: string, body: string) =>
      await refusalOf(await edge.post("/v1/conversations", body, { "content-type": type }));
    expect(await send("text/plain", "{}")).toBe("415 /problems/unsupported-media-type");
    expect(await send("application/json", " ")).toBe("400 /problems/invalid-json");
    expect(edge.calls).toEqual([]);
  });

  test("what Location names can be read", async () => {
    const edge = createEdge({
      verbs: {
        readConversation: async (caller) => succeed({ id: caller.conversation, agent: "assistant", createdAt: 0 }),
      },
    });
    const response = await edge.send(base);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      conversation,
      agent: "assistant",
      created_at: "1970-01-01T00:00:00.000Z",
    });
  });

  test("an unknown agent is refused before an object wakes", async () => {
    const edge = createEdge();
    expect(await refusalOf(await edge.post("/v1/conversations", { agent: "nobody" }))).toBe(
      "422 /problems/unknown-agent",
    );
    expect(edge.calls).toEqual([]);
  });
});

describe("events", () => {
  const fetchStream = async () => new Response(": open\n", { headers: { "content-type": "text/event-stream" } });

  test("[DU29][SS5] the stream starts at Last-Event-ID, else at after, else at the beginning", async () => {
    const edge = createEdge({ fetch: fetchStream });
    await edge.send(`${base}/events?turn=trn_1&after=3`, { headers: { ...sse, "last-event-id": "7" } });
    await edge.send(`${base}/events?after=3`, { headers: { ...sse, "last-event-id": "" } });
    const last = await edge.send(`${base}/events`, { headers: sse });
    expect(urlsOf(edge)).toEqual([
      "http://object/events?turn=trn_1&after=7",
      "http://object/events?after=3",
      "http://object/events?after=0",
    ]);
    expect(last.headers.get("x-countersign-conversation")).toBe(conversation);
    expect(await last.text()).toBe(": open\n");
  });

  test.each(["-1", "1e3", "0x10", "01", "9007199254740993"])(
    "[DU29] the cursor %s is 400 and opens no stream",
    async (cursor) => {
      const edge = createEdge({ fetch: fetchStream });
      for (const accept of ["text/event-stream", "application/json"]) {
        const byHeader = await edge.send(`${base}/events`, { headers: { accept, "last-event-id": cursor } });
        const byQuery = await edge.send(`${base}/events?after=${cursor}`, { headers: { accept } });
        expect(await refusalOf(byHeader)).toBe("400 /problems/invalid-cursor");
        expect(await refusalOf(byQuery)).toBe("400 /problems/invalid-cursor");
      }
      expect(edge.calls).toEqual([]);
    },
  );

  test("[SS8] the object's 204 and its refusals pass as they are", async () => {
    const done = createEdge({ fetch: async () => new Response(null, { status: 204 }) });
    const response = await done.send(`${base}/events?turn=trn_1&after=9`, { headers: sse });
    expect([response.status, await response.text()]).toEqual([204, ""]);
    const gone = createEdge({
      fetch: async () =>
        new Response('{"status":410}', { status: 410, headers: { "content-type": "application/problem+json" } }),
    });
    expect(await readProblem(await gone.send(`${base}/events`, { headers: sse }))).toMatchObject({ status: 410 });
  });

  test("[SS9] a lost object is 200 with a retry hint to a reader that resumes, 503 to any other", async () => {
    const { send } = createEdge({ fetch: reset });
    const resumed = await send(`${base}/events`, { headers: { ...sse, "last-event-id": "7" } });
    expect([resumed.status, await resumed.text()]).toEqual([200, "retry: 5000\n"]);
    expect(resumed.headers.get("content-type")).toBe("text/event-stream");
    expect(await refusalOf(await send(`${base}/events`, { headers: sse }))).toBe("503 /problems/overloaded");
  });

  test("[DU32] a full object is 429, and the empty answer to a reader that resumes", async () => {
    const full = async () =>
      new Response('{"status":429}', { status: 429, headers: { "content-type": "application/problem+json" } });
    const { send } = createEdge({ fetch: full });
    const resumed = await send(`${base}/events`, { headers: { ...sse, "last-event-id": "7" } });
    expect([resumed.status, await resumed.text()]).toEqual([200, "retry: 5000\n"]);
    expect(await readProblem(await send(`${base}/events`, { headers: sse }))).toMatchObject({ status: 429 });
  });

  test("[SE70] as JSON a page holds the log's lines byte for byte, and may wait", async () => {
    const edge = createEdge({
      verbs: {
        readEvents: async () =>
          succeed({ events: [String.raw`{"type":"text_delta","seq":4,"text":"\u2028"}`], nextAfter: 4, live: true }),
      },
    });
    const response = await edge.send(`${base}/events?turn=trn_1&after=3&limit=5&wait=20`);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.text()).toBe(
      String.raw`{"events":[{"type":"text_delta","seq":4,"text":"\u2028"}],"next_after":4,"live":true}`,
    );
    expect(edge.calls[0]?.args[1]).toEqual({ turn: "trn_1", after: 3, limit: 5, waitSecs: 20 });
  });

  test("HEAD leaves no stream open behind it", async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const edge = createEdge({
      fetch: async () => new Response(body, { headers: { "content-type": "text/event-stream" } }),
    });
    const response = await edge.send(`${base}/events`, { method: "HEAD", headers: sse });
    expect([response.status, response.headers.get("content-type"), cancelled]).toEqual([
      200,
      "text/event-stream",
      true,
    ]);
  });

  test.each([
    ["text/html", 406],
    ["application/json;q=0, text/event-stream;q=0", 406],
    ["*/*;q=0", 406],
    ["*/*", 200],
    ["application/*", 200],
    ["text/html, application/json;q=0.1", 200],
  ])("Accept: %s is %d", async (accept, status) => {
    const edge = createEdge({ verbs: { readEvents: async () => succeed({ events: [], nextAfter: 0, live: true }) } });
    expect((await edge.send(`${base}/events`, { headers: { accept } })).status).toBe(status);
  });

  test.each([
    ["text/event-stream, */*", "fetch"],
    ["application/json, text/event-stream", "readEvents"],
    ["application/json;q=0.5, text/event-stream", "fetch"],
    ["TEXT/Event-Stream", "fetch"],
  ])("Accept: %s is answered by %s", async (accept, verb) => {
    const edge = createEdge({
      fetch: fetchStream,
      verbs: { readEvents: async () => succeed({ events: [], nextAfter: 0, live: true }) },
    });
    await edge.send(`${base}/events`, { headers: { accept } });
    expect(edge.calls.map((call) => call.verb)).toEqual([verb]);
  });
});

describe("raw results", () => {
  test("[SE54] bytes and status pass through, as an attachment in a sandbox, ranges included", async () => {
    const edge = createEdge({
      fetch: async () =>
        new Response("<b>", { status: 206, headers: { "content-type": "text/plain", "content-range": "bytes 0-2/9" } }),
    });
    const response = await edge.send(`${base}/calls/call_1_0/result`, {
      headers: { range: "bytes=0-2", accept: "text/html" },
    });
    expect(urlsOf(edge)).toEqual(["http://object/calls/call_1_0/result"]);
    expect(requestsOf(edge)[0]?.headers.get("range")).toBe("bytes=0-2");
    expect([response.status, await response.text()]).toEqual([206, "<b>"]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/plain",
      "content-range": "bytes 0-2/9",
      "content-disposition": "attachment",
      "content-security-policy": "default-src 'none'; sandbox",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("receipts", () => {
  test("[RE9] verification hands on the claim as given and answers the verdict", async () => {
    const edge = createEdge({
      verbs: { verifyReceipt: async () => succeed({ verdict: "mismatch", fields: ["result"] }) },
    });
    const claim = { receipt: "zc-receipt-cut", tool: "clock", arguments: { b: 1, a: [] }, result: "12:00" };
    const response = await edge.post("/v1/receipts/verify", { ...claim, conversation });
    const checked = ["tool", "arguments", "result"];
    expect([response.status, await response.json()]).toEqual([
      200,
      { verdict: "mismatch", fields: ["result"], checked },
    ]);
    expect(edge.calls).toMatchObject([{ tenant: "dev", conversation, args: [{ conversation }, claim] }]);
    expect(response.headers.get("x-countersign-conversation")).toBe(conversation);
  });

  test("[SE16] a claim about a conversation that cannot exist is 404 before an object wakes", async () => {
    const edge = createEdge();
    const response = await edge.post("/v1/receipts/verify", { receipt: token, conversation: "short" });
    expect(await refusalOf(response)).toBe("404 /problems/not-found");
    expect(edge.calls).toEqual([]);
  });

  test("[RE9] the list pages by cursor, and one receipt is shown by its token", async () => {
    const view = { receipt: { token, body: { seq: 2 } }, callId: "call_1_0", n: 2 } as never;
    const edge = createEdge({
      verbs: { listReceipts: async () => succeed([view]), readReceipt: async () => succeed(view) },
    });
    const page = await edge.send(`${base}/receipts?after=1&limit=1`);
    expect(await page.json()).toMatchObject({ receipts: [{ receipt: token }], next_after: 2, more: true });
    const one = await edge.send(`${base}/receipts/${token}`);
    expect(await one.json()).toMatchObject({ receipt: token, links: { result: `${base}/calls/call_1_0/result` } });
    expect(edge.calls.map(({ args }) => args[1])).toEqual([{ after: 1, limit: 1 }, token]);
  });
});

describe("the audit chain", () => {
  const entry = { seq: 3, at: 5, kind: "cancel", subject: "trn_1", data: {}, prev: "p", hash: "h" };
  const head = { seq: 9, hash: "head" };
  const page = { entries: [entry], head, verdict: { verdict: "valid", entries: 9 } } as never;

  test("[AU2] pages go by number and name the head; the walk is asked for with verify=1", async () => {
    const edge = createEdge({ verbs: { readAudit: async () => succeed(page) } });
    const response = await edge.send(`${base}/audit?after=2&limit=1&verify=1`);
    expect(await response.json()).toEqual({
      entries: [entry],
      next_after: 3,
      more: true,
      head_hash: "head",
      verification: { verdict: "valid", entries: 9 },
      links: { export: `${base}/audit?export=1` },
    });
    await edge.send(`${base}/audit`);
    expect(edge.calls.map(({ args }) => args[1])).toEqual([
      { after: 2, limit: 1, verify: true },
      { after: 0, limit: 100, verify: false },
    ]);
    for (const query of ["verify=yes", "export=2", "after=x", "walk=1"]) {
      expect(await refusalOf(await edge.send(`${base}/audit?${query}`))).toBe("400 /problems/invalid-request");
    }
  });
});

describe("agents and tools", () => {
  test("enabled agents are listed", async () => {
    const response = await createEdge().send("/v1/agents");
    expect(await response.json()).toEqual({ agents: [{ agent: "assistant", default: true }] });
  });

  test("[TC16] tools are those of the agent asked for, else of the default one; no object wakes", async () => {
    const asked: string[] = [];
    const edge = createEdge({
      describeTools: async (agent) => {
        asked.push(agent);
        return [];
      },
    });
    expect(await (await edge.send("/v1/tools")).json()).toEqual({ agent: "assistant", tools: [] });
    await edge.send("/v1/tools?agent=assistant");
    expect(await refusalOf(await edge.send("/v1/tools?agent=retired"))).toBe("422 /problems/unknown-agent");
    expect(await refusalOf(await edge.send("/v1/tools?agents=assistant"))).toBe("400 /problems/invalid-request");
    expect(asked).toEqual(["assistant", "assistant"]);
    expect(edge.calls).toEqual([]);
  });
});
