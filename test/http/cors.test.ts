/** What browsers are told: pages of listed origins may call and read, others get answers that they cannot read. */
import { assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { failWith } from "../../src/contracts/result.ts";
import { conversation, createEdge, type EdgeOptions } from "./edge.ts";

const page = "https://app.example.com";
const local = "http://localhost:5173";
const listed = { corsOrigins: [page, local] };
const turns = `/v1/conversations/${conversation}/turns`;

const edgeWith = (options: EdgeOptions = {}) =>
  createEdge({ ...options, deployment: { ...listed, ...options.deployment } });

const asked = { "access-control-request-method": "POST", "access-control-request-headers": "authorization" };
const preflight = (origin: string): RequestInit => ({
  method: "OPTIONS",
  headers: { origin, authorization: "", ...asked },
});
const listOf = (response: Response, name: string): readonly string[] =>
  (response.headers.get(name) ?? "").split(", ").filter((item) => item !== "");
const corsHeaders = ({ headers }: Response): readonly string[] =>
  [...headers.keys()].filter((name) => name.startsWith("access-control-"));

describe("a preflight", () => {
  test("[SE51][SS14] of a listed origin needs no credentials and reaches no conversation", async () => {
    const edge = edgeWith();
    const response = await edge.send(turns, preflight(page));
    expect([response.status, await response.text()]).toEqual([204, ""]);
    expect(response.headers.get("access-control-allow-origin")).toBe(page);
    expect(response.headers.get("access-control-max-age")).toBe("600");
    expect(response.headers.has("access-control-allow-credentials")).toBe(false);
    expect(edge.calls).toEqual([]);
  });

  test("[SS14] names the methods and headers that a page may use, and no others", async () => {
    const response = await edgeWith().send(turns, preflight(local));
    expect(listOf(response, "access-control-allow-methods")).toEqual(["GET", "POST", "DELETE"]);
    const allowed = `authorization content-type accept cache-control prefer range idempotency-key last-event-id traceparent
      x-countersign-conversation x-stainless-lang x-stainless-package-version x-stainless-os x-stainless-arch
      x-stainless-runtime x-stainless-runtime-version x-stainless-retry-count x-stainless-timeout x-stainless-helper-method`;
    expect(listOf(response, "access-control-allow-headers")).toEqual(allowed.split(/\s+/));
  });

  test("[SE51] of any other origin gets the same answer without a word on who may call", async () => {
    const response = await edgeWith().send(turns, preflight("https://evil.example.com"));
    expect([response.status, corsHeaders(response), response.headers.get("vary")]).toEqual([204, [], "Origin"]);
  });

  test("[SE51] is told by the method that it asks for: another OPTIONS is a request like any", async () => {
    const response = await edgeWith().send(turns, { method: "OPTIONS", headers: { origin: page } });
    expect(response.status).toBe(405);
    expect(response.headers.get("access-control-allow-origin")).toBe(page);
  });
});

describe("an origin", () => {
  const lookalikes = [
    "null",
    "*",
    "",
    page.toUpperCase(),
    "https://App.example.com",
    `${page}/`,
    `${page}:443`,
    "http://app.example.com",
    "https://app.example.com.evil.example",
    "https://evil-app.example.com",
    "https://sub.app.example.com",
    "https://app.example.co",
    "app.example.com",
    `${page}, ${local}`,
  ];

  test("[SE51] is compared as a whole string: nothing else is ever let in, nor given back", async () => {
    const edge = edgeWith();
    const anyOrigin = oneof(
      constantFrom(...lookalikes),
      string({ maxLength: 40 }).map((text) => encodeURI(text)),
    );
    await assert(
      asyncProperty(anyOrigin, constantFrom("GET", "OPTIONS"), async (origin, method) => {
        const response = await edge.send("/healthz", { method, headers: { origin, ...asked } });
        expect(corsHeaders(response)).toEqual([]);
      }),
    );
  });

  test("[SE51] cannot be let in by a wildcard", async () => {
    const edge = edgeWith({ deployment: { corsOrigins: ["*", "https://*.example.com"] } });
    const response = await edge.send("/healthz", { headers: { origin: page } });
    expect(corsHeaders(response)).toEqual([]);
  });

  test("[SE51] that is refused gets what it would get without one", async () => {
    const edge = edgeWith({
      verbs: { startTurn: async () => failWith({ slug: "turn-busy", detail: "There is one." }) },
    });
    const post = async (headers: Record<string, string>) => {
      const response = await edge.post(turns, { input: "hi" }, { "x-request-id": "r1", ...headers });
      return [response.status, await response.text(), [...response.headers]];
    };
    expect(await post({ origin: "https://evil.example.com" })).toEqual(await post({}));
  });
});

const failing: EdgeOptions = {
  verbs: {
    readConversation: async () => {
      throw new Error("a bug");
    },
  },
};
const unusable: EdgeOptions = { deployment: { faults: [{ path: "agents", message: "is required" }] } };
const askStream = { headers: { accept: "text/event-stream" } };
const streaming: EdgeOptions = {
  fetch: async () => new Response("retry: 2000\n\n", { headers: { "content-type": "text/event-stream" } }),
};
interface Answer {
  readonly status: number;
  readonly path: string;
  readonly init?: RequestInit;
  readonly options?: EdgeOptions;
}
const answers: readonly Answer[] = [
  { status: 200, path: "/healthz" },
  { status: 200, path: "/v1/agents" },
  { status: 200, path: `/v1/conversations/${conversation}/events`, init: askStream, options: streaming },
  { status: 400, path: turns, init: { method: "POST", body: "{", headers: { "content-type": "application/json" } } },
  { status: 401, path: "/v1/agents", init: { headers: { authorization: "Bearer wrong" } } },
  { status: 404, path: "/v1/nowhere" },
  { status: 405, path: "/v1/agents", init: { method: "DELETE" } },
  { status: 406, path: "/v1/agents", init: { headers: { accept: "image/png" } } },
  { status: 414, path: `/v1/agents?${"a".repeat(9000)}` },
  { status: 415, path: turns, init: { method: "POST", body: "x" } },
  { status: 500, path: `/v1/conversations/${conversation}`, options: failing },
  { status: 503, path: "/v1/agents", options: unusable },
];

describe.each(answers)("an answer of $status: $path", ({ status, path, init = {}, options = {} }) => {
  const send = async (headers: Record<string, string>): Promise<Response> => {
    const own = Object.fromEntries(new Headers(init.headers));
    return await edgeWith(options).send(path, { ...init, headers: { ...own, ...headers } });
  };

  test("[SE51][SS14] can be read by a listed page, with the headers that it needs", async () => {
    const response = await send({ origin: page });
    expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([status, page]);
    const exposed =
      "x-request-id x-countersign-conversation x-countersign-turn location retry-after ratelimit ratelimit-policy content-range x-countersign-ignored";
    expect(listOf(response, "access-control-expose-headers")).toEqual(exposed.split(" "));
    expect(corsHeaders(response)).toHaveLength(2);
  });

  test("[SE51] says that it depends on the origin, whoever asks", async () => {
    for (const headers of [{}, { origin: page }, { origin: "null" }]) {
      expect(listOf(await send(headers), "vary")).toContain("Origin");
    }
  });
});
