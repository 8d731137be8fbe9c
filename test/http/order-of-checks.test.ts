/** One bad request has one answer: which check speaks first, and that no object hears of it. */
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { EdgeEnv } from "../../src/http/env.ts";
import { defineWrite } from "../../src/http/route.ts";
import { decodeTurnBody } from "../../src/wire/requests.ts";
import { conversation, createEdge, devKey, type Edge, readProblem, refusalOf } from "./edge.ts";

const turns = `/v1/conversations/${conversation}/turns`;
const wrongKey = { authorization: "Bearer ck_dev_wrong" };
const privateImage = { type: "image", url: "https://127.0.0.1/a.png", media_type: "image/png" };
const json = { "content-type": "application/json" };

/** Each request is wrong in its own way and in every way that is checked later. */
const ladder: readonly [string, string, (edge: Edge) => Promise<Response>][] = [
  [
    "URL before headers",
    "414 /problems/uri-too-long",
    ({ send }) =>
      send(`${turns}?api_key=${"k".repeat(9000)}`, { headers: { ...wrongKey, "x-big": "h".repeat(40_000) } }),
  ],
  [
    "headers before credentials in wrong places",
    "431 /problems/headers-too-large",
    ({ send }) => send(`${turns}?api_key=x`, { headers: { ...wrongKey, "x-big": "h".repeat(40_000) } }),
  ],
  [
    "credentials in wrong places before authentication",
    "400 /problems/invalid-request",
    ({ post }) => post(`${turns}?api_key=ck_live_x`, "{", wrongKey),
  ],
  [
    "authentication before ids",
    "401 /problems/unauthenticated",
    ({ post }) => post("/v1/conversations/x/turns", "{", wrongKey),
  ],
  ["authentication before JSON", "401 /problems/unauthenticated", ({ post }) => post(turns, "{", wrongKey)],
  [
    "authentication before unknown paths",
    "401 /problems/unauthenticated",
    ({ send }) => send("/v1/nothing", { headers: wrongKey }),
  ],
  [
    "ids before media type",
    "404 /problems/not-found",
    ({ post }) => post("/v1/conversations/short/turns", "{", { "content-type": "text/plain", accept: "image/png" }),
  ],
  [
    "Accept before the body's media type",
    "406 /problems/not-acceptable",
    ({ post }) => post(turns, "{", { "content-type": "text/plain", accept: "image/png" }),
  ],
  [
    "media type before size",
    "415 /problems/unsupported-media-type",
    ({ post }) => post(turns, "{".repeat(2_000_000), { "content-type": "text/plain" }),
  ],
  ["size before JSON", "413 /problems/payload-too-large", ({ post }) => post(turns, "{".repeat(2_000_000))],
  [
    "JSON before the query and the schema",
    "400 /problems/invalid-json",
    ({ post }) => post(`${turns}?x=1`, '{"input":1,}'),
  ],
  ["the schema before the agent", "400 /problems/invalid-request", ({ post }) => post(turns, { agent: "nobody" })],
  [
    "the agent before addresses in the input",
    "422 /problems/unknown-agent",
    ({ post }) => post(turns, { input: [privateImage], agent: "nobody" }),
  ],
  [
    "addresses in the input before the idempotency key",
    "422 /problems/egress-blocked",
    ({ post }) => post(turns, { input: [privateImage] }, { "idempotency-key": '"broken' }),
  ],
  [
    "the agent before the idempotency key",
    "422 /problems/unknown-agent",
    ({ post }) => post(turns, { input: "x", agent: "nobody" }, { "idempotency-key": '"broken' }),
  ],
  [
    "the idempotency key before the object",
    "400 /problems/invalid-request",
    ({ post }) => post(turns, { input: "x" }, { "idempotency-key": '"broken' }),
  ],
];

describe("order", () => {
  test.each(ladder)("%s: %s", async (_name, refusal, request) => {
    const edge = createEdge();
    expect(await refusalOf(await request(edge))).toBe(refusal);
    expect(edge.calls).toEqual([]);
  });

  test("[SE14] a missing scope is told after the id and before the body", async () => {
    const route = defineWrite({
      path: "/c/:conversation",
      scope: "admin",
      body: decodeTurnBody,
      answer: () => expect.unreachable(),
    });
    const slugs: string[] = [];
    const app = new Hono<EdgeEnv>().post(route.path, async (context) => {
      context.set("principal", { tenant: "t", subject: "s", channel: "http", scopes: ["turns:write"] });
      const answer = await route.run(context, {
        config: () => expect.unreachable(),
        describeTools: () => expect.unreachable(),
        judgeUrl: () => expect.unreachable(),
        conversations: () => expect.unreachable(),
        tenants: () => expect.unreachable(),
        log: () => undefined,
        version: "",
        commit: "",
      });
      slugs.push(answer.ok ? "ok" : answer.failure.slug);
      return context.body(null);
    });
    await app.request("/c/short", { method: "POST", body: "{" });
    await app.request(`/c/${conversation}`, { method: "POST", body: "{" });
    expect(slugs).toEqual(["not-found", "forbidden"]);
  });
});

describe("JSON of requests", () => {
  test.each<[string, string | Uint8Array<ArrayBuffer>]>([
    ["depth", "[".repeat(65) + "]".repeat(65)],
    ["duplicate_key", '{"input":"a","input":"b"}'],
    ["forbidden_key", '{"metadata":{"__proto__":{"x":1}},"input":"a"}'],
    ["number_range", '{"input":"a","max_tool_iterations":1e999}'],
    ["utf8", Uint8Array.of(0xc3, 0x28)],
    ["bom", "\ufeff{}"],
    ["size", JSON.stringify({ input: Array(10_001).fill(0) })],
    ["syntax", ""],
  ])("[SE57][SE58] %s", async (reason, body) => {
    const edge = createEdge();
    const response = await edge.send(turns, { method: "POST", headers: json, body });
    expect(await readProblem(response)).toMatchObject({ status: 400, type: "/problems/invalid-json", reason });
    expect(({} as { x?: number }).x).toBeUndefined();
    expect(edge.calls).toEqual([]);
  });

  test("[SE59] a body without a length is refused while it is read, at the first byte over 1 MiB", async () => {
    const edge = createEdge();
    let pulled = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(64 * 1024).fill(0x20));
      },
    });
    const init = { method: "POST", headers: json, body, duplex: "half" };
    expect(await refusalOf(await edge.send(turns, init))).toBe("413 /problems/payload-too-large");
    expect(pulled).toBeLessThan(20);
  });

  test("[SE72] an upload that breaks off is 400, and no bug of ours in the log", async () => {
    const edge = createEdge();
    const body = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new TextEncoder().encode('{"input":"')),
      pull: (controller) => controller.error(new Error("the client went away")),
    });
    const init = { method: "POST", headers: { ...json, "x-request-id": "r1" }, body, duplex: "half" };
    const problem = await readProblem(await edge.send(turns, init));
    expect(problem).toMatchObject({ status: 400, type: "/problems/invalid-json", reason: "syntax" });
    expect(edge.log).toEqual([{ level: "info", code: "upload_cut", fields: { request_id: "r1" } }]);
    expect(edge.calls).toEqual([]);
  });

  test("[SE52][SE59] only plain JSON is taken: other types, other character sets, encodings are 415", async () => {
    const edge = createEdge();
    const refusals = [
      { "content-type": "text/plain" },
      { "content-type": "application/json; charset=latin1" },
      { "content-type": "application/jsonp" },
      { "content-type": "application/json", "content-encoding": "gzip" },
    ].map(async (headers) => await refusalOf(await edge.send(turns, { method: "POST", headers, body: "{}" })));
    expect(new Set(await Promise.all(refusals))).toEqual(new Set(["415 /problems/unsupported-media-type"]));
    const accepted = await edge.post(turns, "{}", { "content-type": "Application/JSON;charset=UTF-8" });
    expect(accepted.status).toBe(400);
  });

  test("[SE72] unknown fields are named, nothing of their values comes back", async () => {
    const { post } = createEdge();
    const body = { input: "x", messages: [{ role: "tool", content: "secret" }], approved: true };
    const response = await post(turns, body);
    const problem = await readProblem(response);
    expect(problem.errors?.map(({ path }) => path)).toEqual(["messages", "approved"]);
    expect(JSON.stringify(problem)).not.toContain("secret");
  });
});

describe("credentials", () => {
  test("[SE5][HP8] missing, wrong, doubled, of another scheme: one body, one challenge, the reason in the log alone", async () => {
    const edge = createEdge();
    const headers = [
      { authorization: "" },
      { authorization: "Bearer ck_dev_tes" },
      { authorization: "Bearer ck_dev_test2" },
      { authorization: `Bearer ${devKey}, Bearer ${devKey}` },
      { authorization: `Basic ${devKey}` },
      { authorization: `Bearer ${devKey}é` },
      { authorization: "Bearer ck_live_dev.1.abcdef_x" },
    ];
    const responses = await Promise.all(headers.map((given) => edge.send(turns, { headers: given })));
    const bodies = await Promise.all(responses.map(readProblem));
    expect(new Set(bodies.map(({ type, status, detail }) => JSON.stringify([type, status, detail]))).size).toBe(1);
    expect(new Set(responses.map((response) => response.headers.get("www-authenticate")))).toEqual(new Set(["Bearer"]));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([401]));
    expect(new Set(edge.log.map(({ code }) => code))).toEqual(new Set(["authentication_failed"]));
    expect(JSON.stringify(edge.log)).not.toContain("ck_");
    expect(edge.calls).toEqual([]);
  });

  test.each([
    `/v1/agents?api_key=${devKey}`,
    `/v1/agents?anything=ck_live_dev.1.abcdef_x`,
    "/v1/agents?Access_Token=x",
    "/v1/agents?ticket=x",
    `/v1/conversations/${devKey}_padding_padding/turns`,
    "/v1/agents?x=%63k_live_y",
  ])("[SE3] a credential in the URL %s is refused without being echoed", async (path) => {
    const edge = createEdge();
    const response = await edge.send(path);
    const problem = await readProblem(response);
    expect([problem.status, problem.type]).toEqual([400, "/problems/invalid-request"]);
    expect(JSON.stringify([problem, edge.log])).not.toMatch(/ck_|ticket|access/i);
  });

  test("[SE3] a credential in a cookie is refused, other cookies are not", async () => {
    const { send } = createEdge();
    expect((await send("/v1/agents", { headers: { cookie: `session=${devKey}` } })).status).toBe(400);
    expect((await send("/v1/agents", { headers: { cookie: "theme=dark; track_dev_x=1" } })).status).toBe(200);
  });

  test("[SE4] in production the development key opens nothing, and without any key nothing is open", async () => {
    for (const environment of ["live", "test"] as const) {
      const edge = createEdge({ deployment: { environment } });
      const response = await edge.send("/v1/agents");
      expect(response.headers.get("retry-after")).toBe("60");
      expect(await refusalOf(response)).toBe("503 /problems/not-configured");
    }
    expect(await refusalOf(await createEdge({ env: {} }).send("/v1/agents"))).toBe("503 /problems/not-configured");
    const weak = createEdge({ env: { COUNTERSIGN_DEV_KEY: "password" } });
    expect(await refusalOf(await weak.send("/v1/agents"))).toBe("503 /problems/not-configured");
  });

  test("[CF6] a faulty configuration answers every route but /healthz with 503, also without a key", async () => {
    const edge = createEdge({ deployment: { faults: [{ path: "agents", message: "missing" }] } });
    expect(await refusalOf(await edge.send("/v1/agents", { headers: { authorization: "" } }))).toBe(
      "503 /problems/not-configured",
    );
    expect(await refusalOf(await edge.send("/nowhere"))).toBe("503 /problems/not-configured");
    const health = await edge.send("/healthz");
    expect([health.status, await health.json()]).toEqual([200, { status: "ok", version: "0.1.0", commit: "abc1234" }]);
    expect(edge.log[0]).toEqual({ level: "error", code: "config_faults", fields: { faults: 1 } });
  });
});

describe("addresses", () => {
  test.each([
    ["PUT", turns, "GET, HEAD, POST"],
    ["DELETE", `/v1/conversations/${conversation}/events`, "GET, HEAD"],
    ["GET", "/v1/receipts/verify", "POST"],
    ["POST", "/healthz", "GET, HEAD"],
    ["DELETE", "/v1/conversations", "GET, HEAD, POST"],
    ["POST", `/v1/conversations/${conversation}`, "DELETE, GET, HEAD"],
    ["POST", "/v1/usage", "GET, HEAD"],
  ])("%s %s is 405 and says what is allowed", async (method, path, allow) => {
    const response = await createEdge().send(path, { method });
    const allowed = response.headers.get("allow")?.split(", ").toSorted().join(", ");
    expect([await refusalOf(response), allowed]).toEqual(["405 /problems/method-not-allowed", allow]);
  });

  test.each([
    "/v1/conversations/fifteen_chars_x/turns",
    `/v1/conversations/${"a".repeat(65)}/turns`,
    "/v1/conversations/conv_8Zc1f0aQ2mLk7Rt5XwBn4%C3%A9/turns",
    "/v1/conversations/conv_8Zc1f0aQ2mLk7Rt5XwBn4%20/turns",
    `/v1/conversations/${conversation}/turns/`,
    `/v1/conversations/${conversation}/turns/a%2Fb`,
    `/v1/conversations/${conversation}/calls/${"c".repeat(65)}/result`,
    `/v1/conversations/${conversation}/receipts/zc-receipt-1-short`,
    "/v1/nothing",
    "/",
  ])("[SE16] %s is not found before an object wakes", async (path) => {
    const edge = createEdge();
    expect(await refusalOf(await edge.send(path))).toBe("404 /problems/not-found");
    expect(edge.calls).toEqual([]);
  });

  test("[SE17] absent things have equal bodies whatever the address, but for the request's id", async () => {
    const { send } = createEdge();
    const texts = ["/v1/nothing", "/v1/conversations/short/turns"].map(
      async (path) => await (await send(path, { headers: { "x-request-id": "same" } })).text(),
    );
    const [one, other] = await Promise.all(texts);
    expect(one).toBe(other);
  });
});

test("[SE73] a sane request id is kept, any other is replaced, and every answer carries one", async () => {
  const { send } = createEdge();
  const kept = await send("/v1/agents", { headers: { "x-request-id": "trace-1.a_b" } });
  expect(kept.headers.get("x-request-id")).toBe("trace-1.a_b");
  for (const insane of ["a b", "x".repeat(129), "{}"]) {
    const response = await send("/v1/nothing", { headers: { "x-request-id": insane } });
    const id = response.headers.get("x-request-id");
    expect(id).toMatch(/^req_[0-9A-Za-z]{22}$/);
    expect((await readProblem(response)).request_id).toBe(id);
  }
  const health = await send("/healthz");
  expect(health.headers.get("x-request-id")).toMatch(/^req_/);
  expect(health.headers.get("x-content-type-options")).toBe("nosniff");
  expect(health.headers.get("cache-control")).toBe("no-store");
});
