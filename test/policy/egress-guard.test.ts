/** Attempts to be led somewhere private, each refused by the class that the order of the checks gives. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type EgressRules, judgeUrl, type ParseUrl } from "../../src/policy/egress-guard.ts";
import { describeEgressRefusal } from "../../src/policy/egress-refusal.ts";
import { matchesHost, normalizeHost } from "../../src/policy/public-hostname.ts";

const parseUrl: ParseUrl = (raw) => URL.parse(raw) ?? undefined;

const rules = (changes: Partial<EgressRules> = {}): EgressRules => ({
  allowHosts: [],
  denyHosts: [],
  ownHosts: [],
  allowHttpHosts: [],
  allowPorts: [],
  allowIpLiterals: false,
  devHosts: [],
  production: true,
  ...changes,
});

/** `"ok"`, or the class of the refusal. */
function answer(url: string, changes: Partial<EgressRules> = {}): string {
  const judged = judgeUrl(url, rules(changes), parseUrl);
  return judged.ok ? "ok" : judged.failure.class;
}

describe("public URLs", () => {
  test.each([
    "https://example.com",
    "https://example.com/",
    "https://EXAMPLE.com/a/b?q=1#f",
    "https://example.com:443/",
    "https://example.com./",
    "https://xn--bcher-kva.example.com/",
    "https://a-b.c-d.example/@x:y?u=http://127.0.0.1/",
    "https://example.com/é?ü",
    "https://1.2.3.4.example.com/",
    "https://localhost.example.com/",
    "https://arpa.example.com/",
  ])("[SE33] %s passes", (url) => {
    expect(answer(url)).toBe("ok");
  });

  test("[SE33] what passes is spelled as the parser understood it", () => {
    expect(judgeUrl("https://EXAMPLE.com:443/a/../b", rules(), parseUrl)).toEqual({
      ok: true,
      value: { href: "https://example.com/b", origin: "https://example.com" },
    });
  });
});

describe("form", () => {
  test.each([
    "",
    "example.com",
    "//example.com/",
    "https:example.com",
    "https:/example.com",
    "https:///example.com",
    "https://",
    "https://?x",
    " https://example.com",
    "https://example.com/ ",
    "https://exam\tple.com/",
    "https://example.com/\n",
    "https://example.com/\u0000",
    "https://example.com/\u007F",
    "https:\\\\example.com\\",
    "https://example.com\\@127.0.0.1/",
    "https://ｅxample.com/",
    "https://exa\u00ADmple.com/",
    "https://bücher.example.com/",
    "https://example。com/",
    "https://%31%32%37.0.0.1/",
    "https://ex%61mple.com/",
    "https://exa_mple.com/",
    "https://[fe80::1%25eth0]/",
    "https://[::1/",
    "https://1.2.3.4.5/",
    "https://999.1.1.1/",
    "https://example.123/",
    "https://example.com:99999/",
    "https://u:p/",
    "https://xn--127-.0.0.1/",
    "javascript:alert(1)",
    "data:text/plain,x",
    "file:///etc/passwd",
    `https://example.com/${"x".repeat(8192)}`,
    `https://example.com/${"é".repeat(4000)}`,
    "https://example.com/\ud83d",
  ])("[SE34] %j is no URL here", (url) => {
    expect(answer(url)).toBe("url");
  });

  test("[SE34] 8 KiB are not too long", () => {
    const start = "https://example.com/";
    expect(answer(start + "x".repeat(8192 - start.length))).toBe("ok");
    expect(answer(start + "x".repeat(8193 - start.length))).toBe("url");
  });

  test("[SE34] a parser that reads another host than the one written is not believed", () => {
    const lenient: ParseUrl = () => URL.parse("https://evil.example/") ?? undefined;
    expect(judgeUrl("https://example.com/", rules(), lenient)).toEqual({ ok: false, failure: { class: "url" } });
  });
});

describe("scheme and user info", () => {
  test.each([
    "http://example.com/",
    "ftp://example.com/",
    "ws://example.com/",
    "gopher://Example.com/",
    "http://127.0.0.1/",
  ])("[SE35] %s: scheme", (url) => {
    expect(answer(url)).toBe("scheme");
  });

  test("[SE35] plain http only for hosts that the operator listed", () => {
    const allowHttpHosts = ["Legacy.example.com"];
    expect(answer("http://legacy.example.com/", { allowHttpHosts })).toBe("ok");
    expect(answer("http://legacy.example.com./", { allowHttpHosts })).toBe("ok");
    expect(answer("http://x.legacy.example.com/", { allowHttpHosts })).toBe("scheme");
    expect(answer("http://legacy.example.com:443/", { allowHttpHosts })).toBe("port");
    expect(answer("ftp://legacy.example.com/", { allowHttpHosts })).toBe("scheme");
    expect(answer("http://u@legacy.example.com/", { allowHttpHosts })).toBe("userinfo");
  });

  test.each([
    "https://u:p@example.com/",
    "https://@example.com/",
    "https://u@localhost/",
    "https://example.com@127.0.0.1/",
  ])("[SE35] %s: userinfo", (url) => {
    expect(answer(url)).toBe("userinfo");
  });
});

describe("addresses", () => {
  const loopback = [
    "127.0.0.1",
    "127.0.0.1.",
    "127.1",
    "127.0.1",
    "2130706433",
    "017700000001",
    "0x7f000001",
    "0X7F.1",
    "0177.0.0.0x1",
    "127.000.000.001",
    "0",
    "0x",
    "8.8.8.8",
    "[::1]",
    "[::]",
    "[::ffff:127.0.0.1]",
    "[0:0:0:0:0:FFFF:7F00:1]",
    "[2606:4700::1111]",
  ];
  test.each(loopback)("[SE36] https://%s/ is a literal", (host) => {
    expect(answer(`https://${host}/`)).toBe("ip_literal");
    expect(answer(`https://${host}:8443/`)).toBe("ip_literal");
  });

  test("[SE36] no spelling of any IPv4 address passes", () => {
    const spell = (part: number, radix: number): string =>
      radix === 16 ? `0x${part.toString(16)}` : radix === 8 ? `0${part.toString(8)}` : `${part}`;
    const radices = fc.array(fc.constantFrom(8, 10, 16), { minLength: 4, maxLength: 4 });
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: 1, max: 4 }), radices, fc.boolean(), (...drawn) => {
        const [address, count, bases, dot] = drawn;
        const bytes = Array.from(
          { length: count - 1 },
          (_, index) => Math.floor(address / 2 ** (24 - 8 * index)) % 256,
        );
        const parts = [...bytes, address % 2 ** (32 - 8 * (count - 1))];
        const host = parts.map((part, index) => spell(part, bases[index] ?? 10)).join(".");
        expect(answer(`https://${host}${dot ? "." : ""}/`)).toBe("ip_literal");
      }),
    );
  });

  test("[SE37] with literals allowed public ones pass, ports and allow lists still hold", () => {
    const open = { allowIpLiterals: true };
    expect(answer("https://8.8.8.8/", open)).toBe("ok");
    expect(answer("https://[2606:4700::1111]/", open)).toBe("ok");
    expect(answer("https://169.254.169.254/latest/", open)).toBe("ip_literal");
    expect(answer("https://0x0a.1/", open)).toBe("ip_literal");
    expect(answer("https://[::ffff:8.8.8.8]/", open)).toBe("ip_literal");
    expect(answer("https://8.8.8.8:8443/", open)).toBe("port");
    expect(answer("https://8.8.8.8/", { ...open, allowHosts: ["1.1.1.1"] })).toBe("not_allowed");
    expect(answer("https://8.8.8.8/", { ...open, ownHosts: ["8.8.8.8"] })).toBe("own_host");
  });
});

describe("names", () => {
  const closed = [
    "local",
    "internal",
    "lan",
    "home",
    "corp",
    "intranet",
    "private",
    "test",
    "invalid",
    "onion",
    "arpa",
  ];
  test.each([
    "localhost",
    "localhost.",
    "LOCALHOST",
    "a.localhost",
    "intranet",
    "com",
    "-a.example.com",
    "a-.example.com",
    "a..example.com",
    "example.com..",
    `${"a".repeat(64)}.example.com`,
    `${"a.".repeat(126)}com`,
    "127.0.0.1.nip.io",
    "nip.io",
    "xn--localhost-.example.com",
    "10-0-0-1.sslip.io",
    "anything.localtest.me",
    ...closed.map((suffix) => `printer.${suffix}`),
  ])("[SE38] https://%s/ is no public name", (host) => {
    expect(answer(`https://${host}/`)).toBe("hostname");
  });

  test("[SE38] further names are closed with all below them", () => {
    const denyHosts = ["Evil.example", "*.bad.example"];
    expect(answer("https://evil.example/", { denyHosts })).toBe("hostname");
    expect(answer("https://a.evil.example./", { denyHosts })).toBe("hostname");
    expect(answer("https://bad.example/", { denyHosts })).toBe("hostname");
    expect(answer("https://notevil.example/", { denyHosts })).toBe("ok");
  });
});

describe("own hosts, ports, allow lists", () => {
  test("[SE39] own hosts in any spelling, before the port", () => {
    const ownHosts = ["api.example.com", "*.acct.workers.dev"];
    expect(answer("https://API.example.com./", { ownHosts })).toBe("own_host");
    expect(answer("https://api.example.com:8443/", { ownHosts })).toBe("own_host");
    expect(answer("https://x.acct.workers.dev/", { ownHosts })).toBe("own_host");
    expect(answer("https://other.example.com/", { ownHosts })).toBe("ok");
  });

  test("[SE39] other ports only by exact entry", () => {
    const allowPorts = ["Example.com:8443"];
    expect(answer("https://example.com:22/")).toBe("port");
    expect(answer("https://example.com:80/")).toBe("port");
    expect(answer("https://example.com:8443/", { allowPorts })).toBe("ok");
    expect(answer("https://example.com:8444/", { allowPorts })).toBe("port");
    expect(answer("https://a.example.com:8443/", { allowPorts })).toBe("port");
  });

  test("[SE39] an allow list holds exact names and suffixes", () => {
    const allowHosts = ["api.vendor.com", "*.example.com"];
    expect(answer("https://api.vendor.com/", { allowHosts })).toBe("ok");
    expect(answer("https://a.b.example.com/", { allowHosts })).toBe("ok");
    expect(answer("https://example.com/", { allowHosts })).toBe("not_allowed");
    expect(answer("https://notexample.com/", { allowHosts })).toBe("not_allowed");
    expect(answer("https://api.vendor.com.evil.com/", { allowHosts })).toBe("not_allowed");
  });

  test("[SE39] hosts compare lower-cased and without the root's dot", () => {
    expect(normalizeHost("A.Example.")).toBe("a.example");
    expect(matchesHost(["a.example."], "a.example")).toBe(true);
    expect(matchesHost(["*.example"], "example")).toBe(false);
  });
});

describe("hosts for development", () => {
  const dev = { production: false, devHosts: ["localhost:8787", "127.0.0.1:9000", "[::1]:9000", "intra:443"] };

  test.each([
    "http://localhost:8787/x",
    "https://LOCALHOST:8787/",
    "http://127.0.0.1:9000/",
    "http://[::1]:9000/",
    "https://intra/",
  ])("[SE40] %s passes in development only", (url) => {
    expect(answer(url, dev)).toBe("ok");
    expect(answer(url, { ...dev, production: true })).not.toBe("ok");
  });

  test.each([
    ["http://localhost:8788/", "scheme"],
    ["https://localhost:8788/", "hostname"],
    ["http://u@localhost:8787/", "userinfo"],
    ["ftp://localhost:8787/", "scheme"],
    ["https://2130706433:9000/", "ip_literal"],
    ["https://127.1:9000/", "ip_literal"],
    ["http://localhost:8787\\x", "url"],
  ])("[SE40] %s is not such an entry: %s", (url, refusal) => {
    expect(answer(url, dev)).toBe(refusal);
  });
});

test("[SE44] a refusal is told by its class alone", () => {
  expect(describeEgressRefusal("ip_literal")).toBe("egress blocked: ip_literal");
});
