/** The shipped configuration over HTTP: a first turn in every form, what reads it back, what is refused. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  acceptStream,
  type ApiClient,
  createApiClient,
  eventOf,
  framesOf,
  freshConversation,
  idOf,
  onlyEvent,
  streamTurn,
  typesOf,
} from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { readProblem, refusalOf } from "../http/edge.ts";

let server: RunningServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startServer();
  client = createApiClient(server);
});
afterAll(() => server.stop());

const question = "what is 12*(3+4), and what time is it in Madrid?";
const turnsOf = (conversation: string): string => `/v1/conversations/${conversation}/turns`;

/** `HH:MM` in Madrid, now and a minute ago: the turn may have run on either side of a minute. */
function timesInMadrid(): readonly string[] {
  const format = new Intl.DateTimeFormat("en-GB", { timeZone: "Europe/Madrid", hour: "2-digit", minute: "2-digit" });
  return [0, 60_000].map((ago) => format.format(Date.now() - ago));
}

describe("a first turn", () => {
  test("[EV9][RE1] streams both calls with their receipts, then the answer", async () => {
    const { events } = await streamTurn(client, freshConversation("first-turn"), { input: question });
    expect(typesOf(events).slice(0, 2)).toEqual(["turn_accepted", "turn_started"]);
    const calls = events.filter(({ type }) => type === "tool_call" || type === "tool_result");
    expect(calls.map((event) => [event.type, "tool" in event && event.tool])).toEqual([
      ["tool_call", "calculator"],
      ["tool_result", "calculator"],
      ["tool_call", "current_time"],
      ["tool_result", "current_time"],
    ]);
    const finished = onlyEvent(events, "turn_finished");
    expect(events.at(-1)).toBe(finished);
    expect(finished).toMatchObject({ outcome: "completed", iterations: 2 });
    expect(finished.text).toContain("84");
    expect(timesInMadrid().some((time) => finished.text.includes(time))).toBe(true);
    const receipts = events.flatMap((event) => (event.type === "tool_result" ? [event.receipt] : []));
    expect(finished.receipts.map(({ receipt }) => receipt)).toEqual(receipts);
    for (const receipt of receipts) expect(receipt).toMatch(/^zc-receipt-\d+-[\w-]{43}$/);
    const streamed = events.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    expect(streamed).toBe(finished.text);
  });

  test("[SS1] a stream has exactly the headers that its readers need", async () => {
    const conversation = freshConversation("headers");
    const response = await client.post(turnsOf(conversation), { input: question }, acceptStream);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/event-stream",
      "cache-control": "no-store, no-transform",
      "x-accel-buffering": "no",
      "x-countersign-turn": "trn_1",
    });
    const body = await response.text();
    expect(body.startsWith("retry: 2000\n: open\nid: 1\n")).toBe(true);
    expect(body).not.toContain("\r");
    expect(framesOf(body).map(idOf)).toEqual(framesOf(body).map((_, index) => String(index + 1)));
  });

  test("[HP2] as JSON it is waited for, or promised at once", async () => {
    const conversation = freshConversation("as-json");
    const waited = await client.post(turnsOf(conversation), { input: "what is 6*7?" });
    expect(waited.status).toBe(200);
    expect(await waited.json()).toMatchObject({
      turn: "trn_1",
      conversation,
      state: "completed",
      outcome: "completed",
      text: expect.stringContaining("42"),
      links: { self: `/v1/conversations/${conversation}/turns/trn_1` },
    });
    const promised = await client.post(turnsOf(conversation), { input: "what is 6*8?" }, { prefer: "respond-async" });
    expect(promised.status).toBe(202);
    expect(promised.headers.get("preference-applied")).toBe("respond-async");
    const { links }: { links: { self: string; events: string } } = await promised.json();
    const events = await (await client.get(links.events, acceptStream)).text();
    expect(onlyEvent(framesOf(events).map(eventOf), "turn_finished").text).toContain("48");
    expect(await (await client.get(links.self)).json()).toMatchObject({ turn: "trn_2", state: "completed" });
    const page: { turns: { turn: string }[] } = await (await client.get(turnsOf(conversation))).json();
    expect(page.turns.map(({ turn }) => turn)).toEqual(["trn_2", "trn_1"]);
  });

  test("[G1] the same key and body is the same turn, and nothing runs twice", async () => {
    const conversation = freshConversation("same-key");
    const key = { "idempotency-key": "first" };
    const first = await client.post(turnsOf(conversation), { input: question }, { ...key, ...acceptStream });
    const again = await client.post(turnsOf(conversation), { input: question }, { ...key, ...acceptStream });
    expect(framesOf(await again.text())).toEqual(framesOf(await first.text()));
    const other = await client.post(turnsOf(conversation), { input: "another" }, key);
    expect(await refusalOf(other)).toBe("422 /problems/idempotency-mismatch");
  });

  test("[SS11][SS12] a post that comes again with a cursor goes on from there, and starts nothing", async () => {
    const conversation = freshConversation("posted-again");
    const post = (headers: Record<string, string>, input = question): Promise<Response> =>
      client.post(turnsOf(conversation), { input }, { ...acceptStream, ...headers });
    const key = { "idempotency-key": '"again"' };
    const frames = framesOf(await (await post(key)).text());
    const tail = await post({ "idempotency-key": "again", "last-event-id": "4" });
    expect(framesOf(await tail.text())).toEqual(frames.slice(4));
    const nothing = await post({ ...key, "last-event-id": String(frames.length) });
    expect([nothing.status, framesOf(await nothing.text())]).toEqual([200, []]);
    expect(framesOf(await (await post({ "last-event-id": "4" })).text())).toEqual(frames.slice(4));
    expect(await refusalOf(await post({ "last-event-id": "4" }, "another"))).toBe("422 /problems/idempotency-mismatch");
    expect(await refusalOf(await post({ "last-event-id": "999" }))).toBe("409 /problems/resume-mismatch");
    expect(await refusalOf(await post({ "idempotency-key": "new", "last-event-id": "4" }))).toBe(
      "409 /problems/resume-mismatch",
    );
    expect(await (await client.get(turnsOf(conversation))).json()).toMatchObject({ turns: [{ turn: "trn_1" }] });
  });

  test("[TC16] agents and their tools are listed, and health needs no key", async () => {
    expect(await (await client.get("/v1/agents")).json()).toEqual({ agents: [{ agent: "assistant", default: true }] });
    const { tools }: { tools: { tool: string }[] } = await (await client.get("/v1/tools?agent=assistant")).json();
    expect(tools.map(({ tool }) => tool)).toEqual(expect.arrayContaining(["calculator", "current_time"]));
    const health = await fetch(`${server.url}/healthz`);
    expect([health.status, await health.json()]).toEqual([200, expect.objectContaining({ status: "ok" })]);
  });

  test("[RE7] a receipt proves this call and no other", async () => {
    const conversation = freshConversation("receipts");
    const { events } = await streamTurn(client, conversation, { input: "what is 12*(3+4)?" });
    const { receipt = "", output } = onlyEvent(events, "tool_result");
    const { arguments: args } = onlyEvent(events, "tool_call");
    const claim = { receipt, conversation, tool: "calculator", arguments: args, result: output };
    const verify = async (changes: object): Promise<unknown> =>
      await (await client.post("/v1/receipts/verify", { ...claim, ...changes })).json();
    const last = receipt.at(-1) === "A" ? "E" : "A";
    const checked = ["tool", "arguments", "result"];
    const mismatch = (field: string) => ({ verdict: "mismatch", fields: [field], checked });
    expect(await verify({})).toMatchObject({
      verdict: "valid",
      body: { tool: "calculator", seq: 1, prev: "genesis" },
      checked,
    });
    expect(await verify({ result: "85" })).toEqual(mismatch("result"));
    expect(await verify({ tool: "current_time" })).toEqual(mismatch("tool"));
    expect(await verify({ arguments: { expression: "12*7" } })).toEqual(mismatch("arguments"));
    const changed = receipt.slice(0, -1) + last;
    expect(await verify({ receipt: changed })).toEqual({ verdict: "unknown_receipt", checked: [] });
    expect(await verify({ receipt: "zc-receipt-1-short" })).toEqual({ verdict: "malformed", checked: [] });
    const listed = await (await client.get(`/v1/conversations/${conversation}/receipts`)).json();
    expect(listed).toMatchObject({ receipts: [{ receipt, body: { prev: "genesis" } }] });
  });
});

describe("reading the log", () => {
  const conversation = freshConversation("the-log");
  let frames: readonly string[];
  beforeAll(async () => {
    ({ frames } = await streamTurn(client, conversation, { input: question }));
  });
  const log = `/v1/conversations/${conversation}/events`;

  test("[SS8] a finished turn with nothing behind the cursor is 204, with something it is the rest", async () => {
    const last = frames.length;
    expect((await client.get(`${log}?turn=trn_1&after=${last}`, acceptStream)).status).toBe(204);
    expect((await client.get(`${log}?turn=trn_1`, { ...acceptStream, "last-event-id": String(last) })).status).toBe(
      204,
    );
    const rest = await client.get(`${log}?turn=trn_1&after=${last - 1}`, acceptStream);
    expect([rest.status, framesOf(await rest.text())]).toEqual([200, frames.slice(-1)]);
  });

  test.each([
    ["malformed", "01", "400 /problems/invalid-cursor"],
    ["not a number", "abc", "400 /problems/invalid-cursor"],
    ["negative", "-1", "400 /problems/invalid-cursor"],
    ["in the future", "999", "400 /problems/invalid-cursor"],
  ])("[DU29] a cursor that is %s is refused", async (_what, cursor, expected) => {
    expect(await refusalOf(await client.get(`${log}?after=${cursor}`))).toBe(expected);
    expect(await refusalOf(await client.get(log, { ...acceptStream, "last-event-id": cursor }))).toBe(expected);
  });

  test("[DU29] the header wins over the query", async () => {
    const response = await client.get(`${log}?turn=trn_1&after=0`, { ...acceptStream, "last-event-id": "2" });
    expect(framesOf(await response.text())).toEqual(frames.slice(2));
  });

  test("[EV1] JSON pages give the very events of the stream", async () => {
    const bodies: unknown[] = [];
    for (let after = 0; ;) {
      const response = await client.get(`${log}?turn=trn_1&after=${after}&limit=3`);
      const page: { events: unknown[]; next_after: number; live: boolean } = await response.json();
      bodies.push(...page.events);
      after = page.next_after;
      if (!page.live) break;
    }
    expect(bodies).toEqual(frames.map(eventOf));
  });
});

describe("bad requests", () => {
  const conversation = freshConversation("bad-input");
  const path = turnsOf(conversation);
  const json = { "content-type": "application/json" };

  test("[SE4] a wrong or missing key", async () => {
    const wrong = { authorization: "Bearer ck_dev_wrong" };
    expect(await refusalOf(await client.post(path, { input: "hello" }, wrong))).toBe("401 /problems/unauthenticated");
    const missing = await fetch(`${server.url}${path}`, { method: "POST", headers: json, body: '{"input":"hello"}' });
    expect(await refusalOf(missing)).toBe("401 /problems/unauthenticated");
  });

  test.each([
    ["malformed JSON", '{"input":', "400 /problems/invalid-json"],
    ["a second value", '{"input":"a"} {}', "400 /problems/invalid-json"],
    ["a member twice", '{"input":"a","input":"b"}', "400 /problems/invalid-json"],
    ["a forbidden member", '{"input":"a","metadata":{"__proto__":1}}', "400 /problems/invalid-json"],
    [
      "nesting of 65",
      `{"input":"a","metadata":{"x":${"[".repeat(64)}${"]".repeat(64)}}}`,
      "400 /problems/invalid-json",
    ],
    ["no input", "{}", "400 /problems/invalid-request"],
    ["1.1 MiB", JSON.stringify({ input: "x".repeat(1.1 * 1024 * 1024) }), "413 /problems/payload-too-large"],
    ["an unknown agent", '{"input":"a","agent":"nobody"}', "422 /problems/unknown-agent"],
  ])("[SE57][SE59] %s", async (_what, body, expected) => {
    expect(await refusalOf(await client.post(path, body))).toBe(expected);
  });

  test("[HP1] an unknown member is named by its path", async () => {
    const problem = await readProblem(await client.post(path, { input: "hello", tepmerature: 1 }));
    expect(problem).toMatchObject({ type: "/problems/invalid-request", errors: [{ path: "tepmerature" }] });
  });

  test("[SE17] what does not exist is 404, whatever is asked of it", async () => {
    const nowhere = "/v1/conversations/conversation-of-nobody";
    for (const tail of ["/turns", "/turns/trn_1", "/events", "/receipts", "/calls/call_1/result"]) {
      expect(await refusalOf(await client.get(nowhere + tail))).toBe("404 /problems/not-found");
    }
  });

  test("[SE52] after all of them nothing was written: the honest request is the first turn", async () => {
    expect(await refusalOf(await client.get(path))).toBe("404 /problems/not-found");
    const { events, turn } = await streamTurn(client, conversation, { input: "what is 1+1?" });
    expect([turn, events[0]?.seq]).toEqual(["trn_1", 1]);
  });
});
