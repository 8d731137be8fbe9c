/** The tools' fetch against real servers: limits, redirects, headers, silence about the network. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/contracts/json.ts";
import type { CancelSignal } from "../../src/contracts/ports.ts";
import type { ToolFetch } from "../../src/contracts/tool.ts";
import { EgressRefusal } from "../../src/tools/egress-refusal.ts";
import { type FetchPort, type ToolFetchParts, createToolFetch } from "../../src/tools/guarded-fetch.ts";
import { type LocalServer, rulesFor, startLocalServer } from "./local-server.ts";

let here: LocalServer;
let there: LocalServer;

/** `/hops/<n>` redirects n times, `/to?<url>` to that place, with the status of `?status=`. */
function answer(request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? "/", here.url);
  const [, route, value] = url.pathname.split("/");
  const redirect = (location: string, status = 302): void => void response.writeHead(status, { location }).end("gone");
  if (route === "hops") return Number(value) === 0 ? void response.end("arrived") : redirect(`${Number(value) - 1}`);
  if (route === "to") return redirect(decodeURIComponent(url.search.slice(1)), Number(value ?? 302));
  if (route === "size") return void response.end(Buffer.alloc(Number(value), "a"));
  if (route === "gzip")
    return void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(Number(value), "a")));
  if (route === "cut") return void response.write("begun", () => response.destroy());
  if (route === "silent") return void response.writeHead(200).write("begun");
  response
    .writeHead(Number(value ?? 200), { "content-type": "text/plain", "set-cookie": "a=b", "x-more": "1", te: "x" })
    .end(request.method === "HEAD" ? undefined : `${request.method} ${url.pathname}`);
}

beforeAll(async () => {
  [here, there] = await Promise.all([startLocalServer(answer), startLocalServer(answer)]);
});
afterAll(() => Promise.all([here.close(), there.close()]));

function fetchWith(parts: Partial<ToolFetchParts> = {}): ToolFetch {
  return createToolFetch({
    fetch: (url, init) => fetch(url, init),
    rules: rulesFor(here.host, there.host),
    signal: new AbortController().signal,
    maxBytes: 1_000,
    log: () => {},
    ...parts,
  });
}

const refusal = (name: EgressRefusal["class"]): EgressRefusal => new EgressRefusal(name);

describe("answers", () => {
  test("[TC11] an answer is whole: status, final address, headers, body in three forms", async () => {
    const got = await fetchWith()(`${here.url}/echo/404`, { method: "post", body: "{}" });
    expect([got.status, got.ok, got.url]).toEqual([404, false, `${here.url}/echo/404`]);
    expect(await got.text()).toBe("POST /echo/404");
    expect(await got.bytes()).toEqual(new TextEncoder().encode("POST /echo/404"));
    await expect(got.json()).rejects.toThrow(SyntaxError);
    expect(got.headers.get("content-type")).toBe("text/plain");
    expect(got.headers.get("x-more")).toBe("1");
  });

  test("[SE43] cookies and hop-by-hop headers of an answer go nowhere", async () => {
    const { headers } = await fetchWith()(`${here.url}/echo`);
    expect(["set-cookie", "te", "connection", "keep-alive"].filter((name) => headers.has(name))).toEqual([]);
  });

  test("[SE43] a body of the limit is read, one byte more is refused", async () => {
    expect((await (await fetchWith()(`${here.url}/size/1000`)).bytes()).length).toBe(1_000);
    await expect(fetchWith()(`${here.url}/size/1001`)).rejects.toEqual(refusal("size"));
  });

  test("[SE43] a request may ask for less than the limit, and not for more", async () => {
    await expect(fetchWith()(`${here.url}/size/501`, { maxBytes: 500 })).rejects.toEqual(refusal("size"));
    await expect(fetchWith()(`${here.url}/size/1001`, { maxBytes: 5_000 })).rejects.toEqual(refusal("size"));
  });

  test("[SE43] bytes count after decompression: a small answer that unpacks to a large one is refused", async () => {
    expect((await (await fetchWith()(`${here.url}/gzip/1000`)).bytes()).length).toBe(1_000);
    expect(gzipSync(Buffer.alloc(900_000, "a")).length).toBeLessThan(1_000);
    await expect(fetchWith()(`${here.url}/gzip/900000`)).rejects.toEqual(refusal("size"));
  });

  test("[SE43] over the limit the rest of the body is cancelled, not read", async () => {
    let pulled = 0;
    let cancelled = false;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        pulled += 1;
        controller.enqueue(new Uint8Array(600));
      },
      cancel: () => {
        cancelled = true;
      },
    });
    await expect(fetchWith({ fetch: async () => new Response(endless) })(here.url)).rejects.toEqual(refusal("size"));
    expect(cancelled).toBe(true);
    expect(pulled).toBeLessThanOrEqual(3);
  });
});

describe("before a byte is sent", () => {
  test.each([
    ["http://example.com/", "scheme"],
    ["https://127.0.0.1/", "ip_literal"],
    ["https://2130706433/", "ip_literal"],
    ["https://[::1]/", "ip_literal"],
    ["https://localhost/", "hostname"],
    ["https://metadata.internal/", "hostname"],
    ["https://user@example.com/", "userinfo"],
    ["https://example.com:8443/", "port"],
    ["https:/example.com/", "url"],
    ["file:///etc/passwd", "url"],
    ["", "url"],
  ] as const)("[SE44] %s is refused as %s, and the transport is not touched", async (url, name) => {
    const sent: string[] = [];
    const logged: [string, JsonObject | undefined][] = [];
    const transport: FetchPort = (to) => {
      sent.push(to);
      return Promise.resolve(new Response("reached"));
    };
    const log: ToolFetchParts["log"] = (_level, code, fields) => void logged.push([code, fields]);
    await expect(fetchWith({ fetch: transport, log })(url)).rejects.toEqual(refusal(name));
    expect(sent).toEqual([]);
    expect(logged).toEqual([["egress_blocked", { class: name }]]);
  });

  test("[SE44] the text of a refusal is the class and nothing else", () => {
    expect(refusal("ip_literal").message).toBe("egress blocked: ip_literal");
    expect(refusal("ip_literal")).toBeInstanceOf(Error);
  });

  test.each([
    ["Host", "other.example.com"],
    ["cookie", "a=b"],
    ["Connection", "close"],
    ["transfer-encoding", "chunked"],
    ["content-length", "3"],
    ["X-Forwarded-For", "10.0.0.1"],
    ["cf-connecting-ip", "10.0.0.1"],
    ["forwarded", "for=10.0.0.1"],
    ["x-fine", "two\r\nlines"],
    ["x-fine", "é"],
    ["x y", "1"],
    ["", "1"],
  ])("[SE42] the header %j: %j is not a tool's to set", async (name, value) => {
    const before = here.requests.length;
    await expect(fetchWith()(`${here.url}/echo`, { headers: { [name]: value } })).rejects.toEqual(refusal("header"));
    expect(here.requests).toHaveLength(before);
  });

  test("[SE42] a tool's own code may set others, authorization among them", async () => {
    await fetchWith()(`${here.url}/echo`, { headers: { Authorization: "Bearer x", "x-api-key": "k" } });
    expect(here.requests.at(-1)?.headers).toMatchObject({ authorization: "Bearer x", "x-api-key": "k" });
  });

  test("a method that fetch itself would not send is the tool's mistake, not a refusal", async () => {
    await expect(fetchWith()(`${here.url}/echo`, { method: "TRACE" })).rejects.toThrow(TypeError);
  });
});

describe("redirects", () => {
  test.each(["GET", "HEAD"])("[SE41] %s follows five and refuses the sixth", async (method) => {
    const arrived = await fetchWith()(`${here.url}/hops/5`, { method });
    expect([arrived.status, arrived.url]).toEqual([200, `${here.url}/hops/0`]);
    await expect(fetchWith()(`${here.url}/hops/6`, { method })).rejects.toEqual(refusal("redirect"));
  });

  test.each([301, 302, 303, 307, 308])("[SE41] a POST follows none, whatever the status: %i", async (status) => {
    const before = there.requests.length;
    const post = fetchWith()(`${here.url}/to/${status}?${there.url}/echo`, { method: "POST", body: "x" });
    await expect(post).rejects.toEqual(refusal("redirect"));
    expect(there.requests).toHaveLength(before);
  });

  test.each([
    ["http://10.0.0.1/", "scheme"],
    ["https://10.0.0.1/", "ip_literal"],
    ["//localhost/", "scheme"],
    ["https://user@example.com/", "userinfo"],
    ["https://example.com\\@127.0.0.1/", "url"],
  ] as const)("[SE41] the place it leads to is judged like any other: %s is %s", async (location, name) => {
    const loaded = fetchWith()(`${here.url}/to/302?${encodeURIComponent(location)}`);
    await expect(loaded).rejects.toEqual(refusal(name));
  });

  test("[SE41] https never becomes http, not even towards a host that may be plain", async () => {
    const leading: FetchPort = async () => new Response(null, { status: 302, headers: { location: here.url } });
    await expect(fetchWith({ fetch: leading })("https://example.com/")).rejects.toEqual(refusal("scheme"));
  });

  test("[SE41] on the same origin headers go along, on another only harmless ones that are nobody's configuration", async () => {
    const headers = { authorization: "Bearer x", "x-api-key": "k", accept: "text/html", range: "bytes=0-9" };
    const init = { headers, configuredHeaders: new Set(["range"]) };
    await fetchWith()(`${here.url}/to/302?/echo`, init);
    expect(here.requests.at(-1)?.headers).toMatchObject(headers);
    await fetchWith()(`${here.url}/to/302?${there.url}/echo`, init);
    const sent = there.requests.at(-1)?.headers ?? {};
    expect([sent.authorization, sent["x-api-key"], sent.accept, sent.range]).toEqual([
      undefined,
      undefined,
      "text/html",
      undefined,
    ]);
  });

  test("[SE41] what was left behind does not come back with the way back", async () => {
    const back = `${there.url}/to/302?${here.url}/echo`;
    await fetchWith()(`${here.url}/to/302?${encodeURIComponent(back)}`, { headers: { authorization: "Bearer x" } });
    expect(here.requests.at(-1)?.url).toBe("/echo");
    expect(here.requests.at(-1)?.headers.authorization).toBeUndefined();
  });

  test("the body of a redirect is not left unread", async () => {
    let cancelled = 0;
    const body = (): ReadableStream => new ReadableStream({ cancel: () => void (cancelled += 1) });
    const leading: FetchPort = async (url) =>
      url.endsWith("/end") ? new Response("end") : new Response(body(), { status: 302, headers: { location: "/end" } });
    expect(await (await fetchWith({ fetch: leading })("https://example.com/")).text()).toBe("end");
    expect(cancelled).toBe(1);
  });

  test("a redirect status that names no place is an answer", async () => {
    expect((await fetchWith()(`${here.url}/echo/304`)).status).toBe(304);
  });
});

describe("the network's own failures", () => {
  test("[SE44] a refused connection names neither address nor reason", async () => {
    const gone = await startLocalServer(answer);
    await gone.close();
    const failed = fetchWith({ rules: rulesFor(gone.host) })(gone.url);
    await expect(failed).rejects.toEqual(new Error("egress failed"));
  });

  test("[SE44] so does an answer that breaks off", async () => {
    await expect(fetchWith()(`${here.url}/cut`)).rejects.toEqual(new Error("egress failed"));
  });

  test("[TC11] the call's signal ends a request in the middle of its answer", async () => {
    const call = new AbortController();
    const reading = fetchWith({ signal: call.signal })(`${here.url}/silent`);
    while (here.requests.at(-1)?.url !== "/silent") await new Promise((resolve) => setImmediate(resolve));
    const closed = new Promise((resolve) =>
      here.requests
        .at(-1)
        ?.on("error", () => {})
        .socket.on("close", resolve),
    );
    call.abort();
    await expect(reading).rejects.toEqual(new Error("request stopped"));
    await closed;
  });

  test("[TC11] a request that is over listens to the signal no longer", async () => {
    const listeners = new Set<() => void>();
    const signal: CancelSignal = {
      aborted: false,
      addEventListener: (_type, listener) => void listeners.add(listener),
      removeEventListener: (_type, listener) => void listeners.delete(listener),
    };
    await fetchWith({ signal })(`${here.url}/echo`);
    await expect(fetchWith({ signal })(`${here.url}/size/1001`)).rejects.toEqual(refusal("size"));
    expect(listeners.size).toBe(0);
  });

  test("[TC11] after the signal nothing is sent", async () => {
    const before = here.requests.length;
    const failed = fetchWith({ signal: AbortSignal.abort() })(`${here.url}/echo`);
    await expect(failed).rejects.toEqual(new Error("request stopped"));
    expect(here.requests).toHaveLength(before);
  });
});
