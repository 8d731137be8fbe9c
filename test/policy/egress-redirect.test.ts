/** Redirects: each hop is a new URL to judge, and secrets stay on their origin. */
import { describe, expect, test } from "vitest";
import { type EgressRules, judgeRedirect, type ParseUrl, type Redirect } from "../../src/policy/egress-guard.ts";

const parseUrl: ParseUrl = (raw, base) => URL.parse(raw, base) ?? undefined;
const rules: EgressRules = {
  allowHosts: [],
  denyHosts: [],
  ownHosts: [],
  allowHttpHosts: ["plain.example.com"],
  allowPorts: [],
  allowIpLiterals: false,
  devHosts: [],
  production: true,
};
const from = { href: "https://example.com/a/b", origin: "https://example.com" };
const follow = (location: string, changes: Partial<Redirect> = {}) =>
  judgeRedirect({ location, from, method: "GET", followed: 0, ...changes }, rules, parseUrl);
const refused = (refusal: string) => ({ ok: false, failure: { class: refusal } });

describe("judgeRedirect", () => {
  test("[SE41] relative and absolute locations are resolved and judged", () => {
    expect(follow("../c?x=1")).toEqual({
      ok: true,
      value: { href: "https://example.com/c?x=1", origin: from.origin, crossOrigin: false },
    });
    expect(follow("https://other.example/")).toMatchObject({ ok: true, value: { crossOrigin: true } });
    expect(follow("//other.example/x")).toMatchObject({ ok: true, value: { crossOrigin: true } });
  });

  test.each([
    ["https://169.254.169.254/latest/meta-data/", "ip_literal"],
    ["https://2130706433/", "ip_literal"],
    ["//localhost/", "hostname"],
    ["https://u:p@example.com/", "userinfo"],
    ["https://example.com:22/", "port"],
    ["http://plain.example.com/", "scheme"],
    ["http://example.com/", "scheme"],
    ["javascript:alert(1)", "scheme"],
    ["/\\evil.example/", "url"],
    ["/a b", "url"],
    ["/a\tb", "url"],
    ["https://[", "url"],
    [`/${"x".repeat(8192)}`, "url"],
  ])("[SE41] %j is refused: %s", (location, refusal) => {
    expect(follow(location)).toEqual(refused(refusal));
  });

  test("[SE41] http may go on to http where the host is listed, and up to https", () => {
    const plain = { href: "http://plain.example.com/", origin: "http://plain.example.com" };
    expect(follow("/next", { from: plain })).toMatchObject({ ok: true, value: { crossOrigin: false } });
    expect(follow("https://plain.example.com/", { from: plain })).toMatchObject({
      ok: true,
      value: { crossOrigin: true },
    });
  });

  test("[SE41] five for GET and HEAD, none for other methods", () => {
    expect(follow("/x", { followed: 4 }).ok).toBe(true);
    expect(follow("/x", { followed: 5 })).toEqual(refused("redirect"));
    expect(follow("/x", { followed: 4, method: "HEAD" }).ok).toBe(true);
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS", "get"]) {
      expect(follow("/x", { method })).toEqual(refused("redirect"));
    }
  });
});
