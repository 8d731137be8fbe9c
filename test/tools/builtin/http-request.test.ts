/** http_request against a real server: answers as text, refusals before anything is sent. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createHash } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/contracts/json.ts";
import { httpRequest } from "../../../src/tools/builtin/http-request.ts";
import { createToolFetch } from "../../../src/tools/guarded-fetch.ts";
import { fail, ok, partial } from "../../../src/tools/tool-result.ts";
import { type LocalServer, rulesFor, startLocalServer } from "../local-server.ts";
import { runTool } from "../run-tool.ts";

let server: LocalServer;
const image = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0xff, 0]);
const digest = createHash("sha256").update(image).digest("hex").slice(0, 16);

/** `/<status>?<content type>`; the body is text unless the type says otherwise. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://server");
  const type = decodeURIComponent(search.slice(1));
  response.statusCode = Number(pathname.slice(1));
  if (type !== "") response.setHeader("content-type", type);
  response.end(/^(?:image|<)|octet/i.test(type) || type === "" ? image : type === "text/empty" ? "" : "añ body");
}

beforeAll(async () => {
  server = await startLocalServer(answer);
});
afterAll(() => server.close());

async function get(args: JsonObject): Promise<unknown> {
  const fetchOfTool = createToolFetch({
    fetch: (url, init) => fetch(url, init),
    rules: rulesFor(server.host),
    signal: new AbortController().signal,
    maxBytes: 1_000,
    log: () => {},
  });
  return runTool(httpRequest, args, { fetch: fetchOfTool });
}

const to = (status: number, type: string): string => `${server.url}/${status}?${encodeURIComponent(type)}`;

test.each(["text/plain", "text/html; charset=utf-8", "application/json", "Application/Problem+JSON", "image/svg+xml"])(
  "[TC25] an answer of type %s is text",
  async (type) => {
    const body = type === "image/svg+xml" ? image.toString("utf8") : "añ body";
    expect(await get({ url: to(200, type) })).toEqual(ok(body));
  },
);

test.each([
  ["image/png", "image/png"],
  ["IMAGE/PNG; q=1", "image/png"],
  ["application/octet-stream", "application/octet-stream"],
  ["", "application/octet-stream"],
  ["<script>/x", "application/octet-stream"],
])("[TC25] an answer of type %j is told by type, size and digest", async (type, shown) => {
  expect(await get({ url: to(200, type) })).toEqual(ok(`[BINARY:${shown} 6 bytes sha256=${digest}]`));
});

test("[TC25] a status that is no success is failed, with the body as output", async () => {
  expect(await get({ url: to(404, "text/plain") })).toEqual(partial("HTTP 404", "añ body"));
  expect(await get({ url: to(500, "image/png") })).toEqual(
    partial("HTTP 500", `[BINARY:image/png 6 bytes sha256=${digest}]`),
  );
  expect(await get({ url: to(503, "text/empty") })).toEqual(fail("HTTP 503"));
});

test("an answer without a body is empty text, not zero bytes of something", async () => {
  expect(await get({ url: `${server.url}/204` })).toEqual(ok(""));
});

describe("guard", () => {
  test("[SE42] the six headers go out as given", async () => {
    const headers = {
      Accept: "text/plain",
      "accept-language": "es",
      "content-type": "text/plain",
      "if-none-match": '"a"',
      "if-modified-since": "Tue, 01 Dec 2026 00:00:00 GMT",
      range: "bytes=0-1",
    };
    expect(await get({ url: to(200, "text/plain"), headers })).toEqual(ok("añ body"));
    expect(server.requests.at(-1)?.headers).toMatchObject({
      accept: "text/plain",
      "if-none-match": '"a"',
      range: "bytes=0-1",
    });
  });

  test.each([
    ["authorization", "Bearer x"],
    ["x-api-key", "k"],
    ["cookie", "a=b"],
    ["constructor", "x"],
    ["accept", "é"],
    ["accept", "a\nb"],
    ["accept", "a".repeat(2_049)],
  ])("[SE42] %s: %j is refused before anything is sent", async (name, value) => {
    const before = server.requests.length;
    const refused = await get({ url: to(200, "text/plain"), headers: { [name]: value } });
    expect(refused).toEqual(fail("egress blocked: header"));
    expect(server.requests).toHaveLength(before);
  });

  test("[SE44] a refusal of the guard is failed with the class alone", async () => {
    expect(await get({ url: "https://169.254.169.254/latest" })).toEqual(fail("egress blocked: ip_literal"));
  });

  test("[SE44] a failure of the network is thrown on, for the runtime to name the tool", async () => {
    await expect(runTool(httpRequest, { url: "https://example.com" })).rejects.toThrow("no network");
  });
});

test.each(["POST", "get", "HEAD"])("only GET is offered: %s is off schema", (method) => {
  expect(httpRequest.checkArguments({ url: "https://example.com", method })).toMatchObject({
    ok: false,
    failure: [{ path: "method" }],
  });
});
