/** The answer of an HTTP tool: selection, text, data, other types, statuses, sizes. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { runHttpTool } from "./http-tool-fixture.ts";

interface Answer {
  readonly status?: number;
  readonly type?: string;
  readonly body?: string | Uint8Array;
}
let next: Answer = {};
let server: LocalServer;
beforeAll(async () => {
  server = await startLocalServer((_request, response) => {
    const { status = 200, type, body = "" } = next;
    response.writeHead(status, type === undefined ? {} : { "content-type": type }).end(body);
  });
});
afterAll(() => server.close());

function ask(answer: Answer, response: object = {}): Promise<unknown> {
  next = answer;
  return runHttpTool({ url: `${server.url}/`, response }, {}, { hosts: [server.host] });
}

const items = JSON.stringify({ items: [{ name: "first", "a b": [1, 2] }], none: null });
const json = (body: string) => ({ type: "application/json; charset=utf-8", body });

test.each([
  ["$.items[0].name", "first", "first"],
  ['$["items"][0]["a b"]', "[\n  1,\n  2\n]", [1, 2]],
  ["$.none", "null", null],
  [null, JSON.stringify(JSON.parse(items), null, 2), JSON.parse(items)],
] as const)("[TC25] %s of a JSON answer", async (select, output, data) => {
  expect(await ask(json(items), { select })).toEqual({ success: true, output, data });
});

test.each(["$.missing", "$.items[1]", "$.items.length", "$.items[0].constructor", "$.__proto__"])(
  "[TC25] a selection that finds nothing fails: %s",
  async (select) => {
    const error = `the answer has nothing at ${select}`;
    expect(await ask(json(items), { select })).toEqual({ success: false, error, output: items });
  },
);

test("[TC25] a text is made of what was selected, which stays its data; a place without a value stays empty", async () => {
  const result = await ask(json(items), { select: "$.items[0]", text: "Name {name}, {missing}{{}}" });
  expect(result).toEqual({ success: true, output: "Name first, {}", data: { name: "first", "a b": [1, 2] } });
});

test("[TC25] what says it is JSON and is not, or is to be selected from and is not, fails with its body", async () => {
  const failed = { success: false, error: "the answer is not JSON" };
  expect(await ask(json("{oops"))).toEqual({ ...failed, output: "{oops" });
  expect(await ask({ type: "text/plain", body: "words" }, { select: "$.a" })).toEqual({ ...failed, output: "words" });
});

test("[TC25] text and XML are given as they are, other types as type, size and digest, nothing as nothing", async () => {
  expect(await ask({ type: "text/html", body: "<p>é" })).toEqual({ success: true, output: "<p>é" });
  expect(await ask({ type: "application/atom+xml", body: "<a/>" })).toEqual({ success: true, output: "<a/>" });
  expect(await ask({ type: "image/png", body: Uint8Array.of(1, 2, 3) })).toEqual({
    success: true,
    output: "[BINARY:image/png 3 bytes sha256=039058c6f2c0cb49]",
  });
  expect(await ask({ status: 204 })).toEqual({ success: true, output: "" });
  expect(await ask({ ...json("") })).toEqual({ success: true, output: "" });
});

test("[TC25] other statuses fail with theirs and the body; which are a success is the entry's to say", async () => {
  expect(await ask({ status: 404, ...json('{"no":1}') })).toEqual({
    success: false,
    error: "HTTP 404",
    output: '{"no":1}',
  });
  expect(await ask({ status: 503 })).toEqual({ success: false, error: "HTTP 503" });
  expect(await ask({ status: 304 })).toEqual({ success: false, error: "HTTP 304" });
  expect(await ask({ status: 404, type: "text/plain", body: "gone" }, { ok: ["2xx", 404] })).toEqual({
    success: true,
    output: "gone",
  });
  expect(await ask({ status: 201, type: "text/plain", body: "made" }, { ok: [200] })).toMatchObject({
    error: "HTTP 201",
  });
});

test("[TC25][SE43] an answer has one MiB unless the entry allows more; over it the call fails and says so", async () => {
  const body = "x".repeat(4_194_304);
  expect(await ask({ type: "text/plain", body })).toEqual({ success: false, error: "egress blocked: size" });
  expect(await ask({ type: "text/plain", body }, { max_bytes: 4_194_304 })).toEqual({ success: true, output: body });
});
