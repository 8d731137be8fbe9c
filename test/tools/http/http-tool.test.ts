/** The request of an HTTP tool: what its templates make of arguments, what never leaves, what is refused before anything is sent. */
import type { IncomingMessage, ServerResponse } from "node:http";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { ToolContext } from "../../../src/contracts/tool.ts";
import { type LocalServer, startLocalServer } from "../local-server.ts";
import { SECRET, echo, httpTool, readHttpTool, runHttpTool } from "./http-tool-fixture.ts";

let here: LocalServer;
let there: LocalServer;

/** `/to/<status>?<url>` redirects, `/hops/<n>` does n times, anything else is echoed. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const [, route, value] = (request.url ?? "/").split(/[/?]/);
  if (route === "hops" && value !== "0")
    return void response.writeHead(302, { location: `/hops/${Number(value) - 1}` }).end();
  if (route !== "to") return echo(request, response);
  const location = decodeURIComponent((request.url ?? "").split("?")[1] ?? "");
  response.writeHead(Number(value), { location }).end();
}

beforeAll(async () => {
  [here, there] = await Promise.all([startLocalServer(answer), startLocalServer(answer)]);
});
afterAll(() => Promise.all([here.close(), there.close()]));

interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const run = (entry: object, args: JsonObject = {}, context: Partial<ToolContext> = {}): Promise<unknown> =>
  runHttpTool({ url: `${here.url}/`, ...entry }, args, { hosts: [here.host, there.host], ...context });

async function sent(entry: object, args: JsonObject = {}, context: Partial<ToolContext> = {}): Promise<Sent> {
  const result = (await run(entry, args, context)) as { readonly success: boolean; readonly output: string };
  expect(result).toMatchObject({ success: true });
  return JSON.parse(result.output) as Sent;
}

/** What the call came to, and how many requests the server got for it. */
async function refusalOf(entry: object, args: JsonObject): Promise<unknown> {
  const before = here.requests.length;
  const result = await run(entry, args);
  return { result, requests: here.requests.length - before };
}
const unsent = (error: string) => ({ result: { success: false, error }, requests: 0 });

describe("flags", () => {
  test("[TC1] a GET is read-only, idempotent and low in risk unless the entry says otherwise; nothing else is", () => {
    const flagsOf = (entry: object) => {
      const { readOnly, idempotent, risk, origin, provenance } = httpTool({ url: here.url, ...entry });
      return { readOnly, idempotent, risk, origin, provenance };
    };
    const http = { origin: "http", provenance: "extension" };
    expect(flagsOf({})).toEqual({ ...http, readOnly: true, idempotent: true, risk: "low" });
    expect(flagsOf({ read_only: false, risk: "high" })).toMatchObject({
      readOnly: false,
      idempotent: true,
      risk: "high",
    });
    expect(flagsOf({ method: "POST" })).toEqual({ ...http, readOnly: false, idempotent: false, risk: "medium" });
    expect(flagsOf({ provenance: "native" })).toMatchObject(http);
  });
});

describe("URL", () => {
  const path = () => ({ url: `${here.url}/o/{id}/x` });

  test.each([
    ["../admin", "/o/..%2Fadmin/x"],
    ["a/b?x=1#y", "/o/a%2Fb%3Fx%3D1%23y/x"],
    ["é", "/o/%C3%A9/x"],
    ["!'()*~-_.", "/o/%21%27%28%29%2A~-_./x"],
    ["%2e%2e", "/o/%252e%252e/x"],
    ["a\r\nb", "/o/a%0D%0Ab/x"],
    [7, "/o/7/x"],
    [false, "/o/false/x"],
  ])("[TC21] the argument %j is one segment: %s", async (id, url) => {
    expect((await sent(path(), { id })).url).toBe(url);
  });

  test.each(["", ".", ".."])("[TC21] an argument that leaves %j of its segment is refused", async (id) => {
    expect(await refusalOf(path(), { id })).toEqual(unsent("the argument id makes no part of a path"));
  });

  test("[TC21] nor can it make a segment climb together with what stands beside it", async () => {
    expect(await refusalOf({ url: `${here.url}/%2e{id}/x` }, { id: "." })).toEqual(
      unsent("the argument id makes no part of a path"),
    );
    expect(await refusalOf({ url: `${here.url}/o/{id}{lang}` }, { id: ".", lang: "." })).toEqual(
      unsent("the argument id makes no part of a path"),
    );
  });

  test("[TC20][TC21] one that is absent, or no single value, is refused", async () => {
    expect(await refusalOf(path(), {})).toEqual(unsent("the argument id is missing"));
    expect(await refusalOf(path(), { id: { a: 1 } })).toEqual(
      unsent("the argument id must be a text, a number, or true or false"),
    );
  });

  test("[TC21] whatever the argument, the server sees one segment that reads back as it", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme" }).filter((id) => !/^\.{0,2}$/.test(id)),
        async (id) => {
          const [before, route, segment = "", after, ...more] = (await sent(path(), { id })).url.split("/");
          expect([before, route, after, more]).toEqual(["", "o", "x", []]);
          expect(segment).toMatch(/^(?:[A-Za-z0-9._~-]|%[0-9A-F]{2})+$/);
          expect(decodeURIComponent(segment)).toBe(id);
        },
      ),
      { numRuns: 60 },
    );
  });

  test("[TC20] braces stand for themselves when they are written twice", async () => {
    expect((await sent({ url: `${here.url}/a`, query: { f: "{{{q}}}" } }, { q: "x" })).url).toBe("/a?f=%7Bx%7D");
  });

  test("[TC21] query values: lists repeat the name, objects are compact JSON, absent ones and null are left out", async () => {
    const query = { q: "{q}", n: "at {n}", city: "{address.city}", fixed: "a b" };
    const url = `${here.url}/s?v=1&lang={lang}#there`;
    expect((await sent({ url, query }, { q: ["a&b", { c: 1 }, null], n: 2, address: { city: "León" } })).url).toBe(
      "/s?v=1&q=a%26b&q=%7B%22c%22%3A1%7D&n=at%202&city=Le%C3%B3n&fixed=a%20b",
    );
    expect((await sent({ url, query }, { q: null, lang: "es" })).url).toBe("/s?v=1&lang=es&fixed=a%20b");
  });
});

describe("headers", () => {
  const headers = { authorization: "Bearer ${secret:SHOP_TOKEN}", "accept-language": "{lang}" };

  test("[TC22] hold arguments and secrets, and drop what is absent", async () => {
    const asked: string[] = [];
    const secret = (name: string) => {
      asked.push(name);
      return SECRET;
    };
    // The echo is cleaned, so the server's own record is looked at.
    await sent({ headers }, { lang: "es" }, { secret });
    expect(here.requests.at(-1)?.headers).toMatchObject({ authorization: `Bearer ${SECRET}`, "accept-language": "es" });
    expect(asked).toEqual(["SHOP_TOKEN"]);
    expect((await sent({ headers })).headers["accept-language"]).not.toBe("es");
    expect(httpTool({ url: here.url, headers }).secrets).toEqual(["SHOP_TOKEN"]);
  });

  test.each(["es\r\nx-admin: 1", "es\n", "é", "\u0000", "a".repeat(2049)])(
    "[TC22] an argument that could end its line is refused: %j",
    async (lang) => {
      expect(await refusalOf({ headers }, { lang })).toEqual(unsent("the argument lang cannot stand in a header"));
    },
  );

  test("[TC22] what a server says back of a secret is taken out, in text and data, of a success and of a failure", async () => {
    const told = await run({ headers });
    expect(JSON.stringify(told)).toContain("[REDACTED:own]");
    expect(JSON.stringify(told)).not.toContain(SECRET);
    const failed = await run({ headers, response: { ok: [401] } });
    expect(failed).toMatchObject({ success: false, error: "HTTP 200" });
    expect(JSON.stringify(failed)).not.toContain(SECRET);
  });

  test("[TC22][SE41] no configured header goes to another host, not even a harmless one", async () => {
    await sent({ url: `${here.url}/to/302?${encodeURIComponent(there.url)}`, headers }, { lang: "es" });
    const { authorization, "accept-language": language } = there.requests.at(-1)?.headers ?? {};
    expect([authorization, language]).not.toContain("es");
    expect(authorization).toBeUndefined();
  });

  test("[TC22] a secret that is not bound fails the call, and nothing is sent", async () => {
    const before = here.requests.length;
    const secret = (): never => {
      throw new Error("the secret SHOP_TOKEN is not declared by this tool, or not bound");
    };
    await expect(run({ headers }, {}, { secret })).rejects.toThrow("SHOP_TOKEN");
    expect(here.requests).toHaveLength(before);
  });
});

describe("body", () => {
  const post = (body: unknown, args: JsonObject) => sent({ method: "POST", body }, args);

  test("[TC23] a lone argument keeps its type, in longer text it is text, an absent one drops its key", async () => {
    const { body, headers } = await post({ n: "{n}", t: "no {n}", q: "{q}", a: [1, "{lang}", null] }, { n: 3 });
    expect(JSON.parse(body)).toEqual({ n: 3, t: "no 3", a: [1, null] });
    expect(headers["content-type"]).toBe("application/json");
  });

  test("[TC23] null and objects are kept as they are; names of the template are only names", async () => {
    const { body } = await post({ constructor: "{q}", "{n}": "{open}" }, { q: null, open: { a: [1] } });
    expect(body).toBe('{"constructor":null,"{n}":{"a":[1]}}');
  });

  test("[TC20] `arguments` sends all of them; no body sends none", async () => {
    expect(JSON.parse((await post("arguments", { n: 1, lang: "x" })).body)).toEqual({ n: 1, lang: "x" });
    expect((await post(null, { n: 1 })).body).toBe("");
  });
});

describe("sending", () => {
  test("[TC24] an idempotent call carries its key, whatever the entry's headers say", async () => {
    const entry = { headers: { "Idempotency-Key": "mine" } };
    expect((await sent(entry, {}, { idempotencyKey: "k-1" })).headers["idempotency-key"]).toBe("k-1");
    expect((await sent({})).headers).not.toHaveProperty("idempotency-key");
  });

  test.each(["POST", "PUT", "PATCH", "DELETE"])("[TC24] %s follows no redirect", async (method) => {
    const redirected = run({ method, url: `${here.url}/to/307?${encodeURIComponent(there.url)}` });
    expect(await redirected).toEqual({ success: false, error: "egress blocked: redirect" });
  });

  test("[TC24] a GET follows five and no sixth", async () => {
    expect((await sent({ url: `${here.url}/hops/5` })).url).toBe("/hops/0");
    expect(await run({ url: `${here.url}/hops/6` })).toEqual({ success: false, error: "egress blocked: redirect" });
  });

  test.each([
    ["http://10.0.0.1/", "scheme"],
    ["https://169.254.169.254/latest/meta-data/", "ip_literal"],
    ["https://[::ffff:127.0.0.1]/", "ip_literal"],
    ["https://metadata.internal/", "hostname"],
  ])("[TC24] a server that leads to %s leads nowhere", async (location, name) => {
    // An https answer may lead to https: the guard speaks for the place itself.
    const result = await runHttpTool(
      { url: `${here.url}/to/302?${encodeURIComponent(location)}` },
      {},
      { hosts: [here.host] },
    );
    expect(result).toEqual({ success: false, error: `egress blocked: ${name}` });
  });

  test("[TC24] the URL itself is judged when it is finished", async () => {
    const result = await runHttpTool({ url: "https://localhost/{id}" }, { id: "x" }, { hosts: [] });
    expect(result).toEqual({ success: false, error: "egress blocked: hostname" });
  });
});

describe("[TC20][CF6] what is wrong with an entry is told with its place", () => {
  test.each([
    [{ url: "https://api.example.com/{nope}" }, "tools[0].url", "{nope} is no argument of its input_schema"],
    [
      { url: "https://api.example.com/{address.zip}" },
      "tools[0].url",
      "{address.zip} is no argument of its input_schema",
    ],
    [
      { url: "https://api.example.com/{constructor}" },
      "tools[0].url",
      "{constructor} is no argument of its input_schema",
    ],
    [{ query: { a: "{q" } }, "tools[0].query.a", "a brace that stands for itself is written twice: {{ or }}"],
    [{ query: { a: "{q..x}" } }, "tools[0].query.a", "an argument is named {name} or {name.of.member}"],
    [{ headers: { "x-a": "{nope}" } }, "tools[0].headers.x-a", "{nope} is no argument of its input_schema"],
    [{ headers: { Host: "a.example.com" } }, "tools[0].headers.Host", "is a header that a tool cannot set"],
    [{ headers: { "x-a": "1", "X-A": "2" } }, "tools[0].headers.X-A", "is set twice"],
    [{ method: "POST", body: { a: ["{nope}"] } }, "tools[0].body.a[0]", "{nope} is no argument of its input_schema"],
    [
      { response: { text: "}" } },
      "tools[0].response.text",
      "a brace that stands for itself is written twice: {{ or }}",
    ],
  ])("%j", (entry, path, message) => {
    expect(readHttpTool({ url: "https://api.example.com/", ...entry }).faults).toEqual([{ path, message }]);
  });

  test("below a schema that lists no properties any name may stand", () => {
    expect(readHttpTool({ url: "https://api.example.com/{open.any.thing}" }).faults).toEqual([]);
  });
});
