/** Whatever spelling of a private place a URL or a redirect has, nobody on loopback hears of it. */
import { type Socket, createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { EgressRules } from "../../src/policy/egress-guard.ts";
import { EgressRefusal } from "../../src/tools/egress-refusal.ts";
import { type FetchPort, createToolFetch } from "../../src/tools/guarded-fetch.ts";
import { rulesFor } from "./local-server.ts";

/** Counts connections, so that even a request that breaks off is seen. */
const silent = createServer((socket: Socket) => {
  connections += 1;
  socket.destroy();
});
let connections = 0;
let port = 0;
beforeAll(async () => {
  silent.listen(0, "127.0.0.1");
  await once(silent, "listening");
  port = (silent.address() as AddressInfo).port;
});
afterAll(async () => {
  silent.close();
  await once(silent, "close");
});

const octet = fc.integer({ min: 0, max: 255 });
/** A private or special IPv4 address as four numbers. */
const address = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(fc.constant(127), fc.constant(0), fc.constant(0), fc.constant(1)) },
  fc.tuple(fc.constantFrom(0, 10, 127), octet, octet, octet),
  fc.tuple(fc.constant(169), fc.constant(254), octet, octet),
  fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
  fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
  fc.tuple(fc.constant(100), fc.integer({ min: 64, max: 127 }), octet, octet),
);
type Address = readonly [number, number, number, number];

const hex = (value: number): string => value.toString(16);
const radix = fc.constantFrom(
  (value: number) => String(value),
  (value: number) => `0x${hex(value)}`,
  (value: number) => `0X${hex(value).toUpperCase()}`,
  (value: number) => `0${value.toString(8)}`,
  (value: number) => `0x${hex(value).padStart(8, "0")}`,
);
type Spell = (value: number) => string;

/** Dotted in one to four parts, each in a base of its own, with or without the root's dot. */
const ipv4 = fc
  .tuple(address, fc.integer({ min: 1, max: 4 }), fc.tuple(radix, radix, radix, radix), fc.constantFrom("", "."))
  .map(([parts, count, spells, end]: [Address, number, [Spell, Spell, Spell, Spell], string]) => {
    const head = parts.slice(0, count - 1);
    const rest = parts.slice(count - 1).reduce((sum, part) => sum * 256 + part, 0);
    return [...head, rest].map((part, at) => (spells[at] ?? String)(part)).join(".") + end;
  });

/** The address inside an IPv6 one, in hex groups or dotted. */
const ipv6 = fc
  .tuple(
    address,
    fc.constantFrom(
      "::ffff:",
      "::",
      "::ffff:0:",
      "64:ff9b::",
      "64:ff9b:1::",
      "2002:",
      "fe80::5efe:",
      "fe80::200:5efe:",
    ),
    fc.boolean(),
  )
  .map(([[a, b, c, d], prefix, dotted]) => {
    const groups = `${hex((a << 8) | b)}:${hex((c << 8) | d)}`;
    if (prefix === "2002:") return `[2002:${groups}::]`;
    return `[${prefix}${dotted ? `${a}.${b}.${c}.${d}` : groups}]`;
  });

const local6 = fc.constantFrom(
  "[::1]",
  "[::]",
  "[0:0:0:0:0:0:0:1]",
  "[::0001]",
  "[fe80::1]",
  "[fc00::1]",
  "[fe80::1%25lo]",
);

const names = fc
  .tuple(
    fc.constantFrom(
      "localhost",
      "LOCALHOST",
      "a.localhost",
      "127.0.0.1.nip.io",
      "localtest.me",
      "x.lvh.me",
      "db.internal",
      "printer.local",
    ),
    fc.constantFrom("", "."),
  )
  .map(([name, end]) => name + end);

/** What a parser might mend: full-width digits and dots, percent-encoding, soft hyphens, white space. */
const mended = fc
  .tuple(
    fc.constantFrom("127.0.0.1", "localhost"),
    fc.constantFrom<(host: string) => string>(
      (host) => host.replace(/[0-9a-z]/, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
      (host) => host.replace(".", "。"),
      (host) => `%${hex(host.charCodeAt(0))}${host.slice(1)}`,
      (host) => `${host.slice(0, 2)}\u00ad${host.slice(2)}`,
      (host) => `${host.slice(0, 2)}\t${host.slice(2)}`,
      (host) => `\\\\${host}`,
      (host) => `user:word@${host}`,
      (host) => `example.com@${host}`,
      (host) => `${host}\\@example.com`,
    ),
  )
  .map(([host, mend]) => mend(host));

const host = fc.oneof({ weight: 4, arbitrary: ipv4 }, { weight: 2, arbitrary: ipv6 }, local6, names, mended);
const url = fc
  .tuple(
    fc.constantFrom("http://", "https://", "HTTPS://", "http:/", "https:", "//", " http://"),
    host,
    fc.constantFrom("", "/", "/a?b#c"),
  )
  .map(([scheme, place, path]) => `${scheme}${place}:${port}${path}`);

/** Every switch that there is but `dev_hosts`: addresses and names have to be told by what they are. */
const open = (): EgressRules => ({
  ...rulesFor(),
  allowIpLiterals: true,
  allowPorts: ["127.0.0.1", "localhost", "::1"].map((name) => `${name}:${port}`),
  allowHttpHosts: ["127.0.0.1", "localhost", "::1"],
});

const fetchWith = (rules: EgressRules, transport: FetchPort = (to, init) => fetch(to, init)) =>
  createToolFetch({
    fetch: transport,
    rules,
    signal: new AbortController().signal,
    maxBytes: 1000,
    log: () => {},
  });

test("[SE36][SE37][SE44] a URL of any such spelling is refused before anything is sent, also with every switch open", async () => {
  await fc.assert(
    fc.asyncProperty(url, fc.boolean(), async (to, wide) => {
      await expect(fetchWith(wide ? open() : rulesFor())(to)).rejects.toBeInstanceOf(EgressRefusal);
      expect(connections).toBe(0);
    }),
    { numRuns: 1500 },
  );
});

test("[SE41] nor does a redirect of a public server lead there", async () => {
  await fc.assert(
    fc.asyncProperty(url, fc.constantFrom(301, 302, 303, 307, 308), async (location, status) => {
      const asked: string[] = [];
      const transport: FetchPort = (to, init) => {
        asked.push(to);
        if (!to.startsWith("https://example.com/")) return fetch(to, init);
        // As raw as a server may send it; what no header can hold is a URL of the test above.
        const headers = new Headers();
        try {
          headers.set("location", location);
        } catch {
          headers.set("location", "http://127.0.0.1/");
        }
        return Promise.resolve(new Response(null, { status, headers }));
      };
      const failed = await fetchWith(open(), transport)("https://example.com/").catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(EgressRefusal);
      // A place may be read as a path of the same server; nobody else is asked.
      expect(asked.filter((to) => !to.startsWith("https://example.com/"))).toEqual([]);
      expect(connections).toBe(0);
    }),
    { numRuns: 1000 },
  );
});

test("[SE44] the listener would have heard it: without the guard the same URL reaches it", async () => {
  await fetch(`http://127.0.0.1:${port}/`).catch(() => {});
  expect(connections).toBe(1);
  connections = 0;
});
