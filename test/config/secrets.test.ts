/** Secrets are named, never written down. */
import { describe, expect, test } from "vitest";
import { readConfig } from "../../src/config/read-config.ts";
import { formatPath } from "../../src/config/value-paths.ts";
import { fullFile } from "./full-file.ts";
import { changeAt, environment, faultsOf, pathsOf, type Step } from "./support.ts";

const readAt = (path: readonly Step[], value: unknown) => readConfig(changeAt(fullFile, path, value), environment);

/** Put together here, so that no scanner takes this file for a leak. */
const letters = "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG";
const credentials: readonly (readonly [string, string])[] = [
  ["our key", `ck_live_acme.1.${letters}`],
  ["our token", `ct_${letters}.${letters.slice(0, 43)}`],
  ["model provider", `sk-ant-${letters}`],
  ["model host", `gsk_${letters}`],
  ["Google", `AIza${letters.slice(0, 35)}`],
  ["AWS", `AKIA${letters.slice(0, 16).toUpperCase()}`],
  ["GitHub", `ghp_${letters.slice(0, 36)}`],
  ["GitHub, fine-grained", `github_pat_${letters}`],
  ["GitLab", `glpat-${letters.slice(0, 20)}`],
  ["Slack", `xoxb-${letters.slice(0, 24)}`],
  ["Stripe", `sk_live_${letters.slice(0, 24)}`],
  ["webhook secret", `whsec_${letters.slice(0, 32)}`],
  ["JWT", `eyJhbGciOi${letters}.eyJzdWIi${letters}.${letters}`],
  ["private key", ["-----BEGIN", "PRIVATE KEY-----\nMII"].join(" ")],
  ["URL with password", `postgres://shop:${letters}@db.example.com/shop`],
  ["connection string", `Server=db;Password=${letters};`],
];

const places: readonly Step[][] = [
  ["agents", "clerk", "system_prompt"],
  ["providers", "second", "api_key"],
  ["providers", "second", "headers", "x-team"],
  ["tools", 1, "body", "cents"],
  ["hooks", 0, "secret"],
];

describe("credentials", () => {
  test.each(credentials)("[CF5][SE69] %s is a fault wherever it stands", (_, value) => {
    for (const path of places) {
      const faults = faultsOf(readAt(path, value)).filter((fault) => fault.path === formatPath(path));
      expect(faults.some(({ message }) => message.startsWith("looks like "))).toBe(true);
      expect(JSON.stringify(faults)).not.toContain(letters.slice(0, 12));
    }
  });

  test("[CF5] a header that lets somebody in may not be written out, whatever its shape", () => {
    expect(faultsOf(readAt(["providers", "second", "headers"], { Authorization: "Bearer 1234" }))).toEqual([
      {
        path: "providers.second.headers.Authorization",
        message: "is a credential; bind it as a secret and write ${secret:NAME} for it",
      },
    ]);
  });

  test("[CF5] prose, names and templates are no credentials", () => {
    const texts = [
      "Ask for the password=… never; a secret key is not to be repeated.",
      "task-oriented assistants at https://example.com:8443/path@v2",
      "risk-0123456789012345678901234567890",
    ];
    for (const text of texts) expect(faultsOf(readAt(["agents", "clerk", "system_prompt"], text))).toEqual([]);
    expect(faultsOf(readAt(["tools", 1, "url"], "https://shop.example.com/?password={password}"))).toEqual([]);
  });

  test("[CF5] ${secret:NAME} may stand in headers only", () => {
    const path = ["tools", 1, "body", "headers", "x"];
    expect(faultsOf(readAt(path.slice(0, 3), { headers: { x: "${secret:SHOP_TOKEN}" } }))).toEqual([
      { path: "tools[1].body.headers.x", message: "${secret:NAME} may stand in headers only" },
    ]);
  });
});

describe("names of secrets", () => {
  const named: readonly (readonly [string, string])[] = [
    ["providers.second.api_key", "MODELS_KEY"],
    ["hooks[0].secret", "TICKETS_SECRET"],
    ["hooks[1].secret[0]", "TICKETS_SECRET"],
    ["hooks[1].secret[1]", "SHOP_TOKEN"],
    ["tools[0].secrets[0]", "SHOP_TOKEN"],
    ["tools[1].headers.authorization", "SHOP_TOKEN"],
    ["mcp.servers[0].auth.client_secret", "OAUTH_SECRET"],
    ["mcp.servers[0].headers.authorization", "FILES_TOKEN"],
  ];

  test("[CF5] each that is not bound is a warning at its place", () => {
    const reading = readConfig(fullFile, { ...environment, boundSecrets: new Set() });
    expect(reading.ok).toBe(true);
    const unbound = reading.warnings.filter(({ message }) => message.includes("is not bound"));
    const expected = named.map(([path, name]) => ({
      path,
      message: `the secret ${name} is not bound; what uses it will fail`,
    }));
    expect([...unbound].toSorted((one, other) => one.path.localeCompare(other.path))).toEqual(
      expected.toSorted((one, other) => one.path.localeCompare(other.path)),
    );
  });

  test("[CF5] those that are bound are none", () => {
    const { warnings } = readConfig(fullFile, environment);
    expect(warnings.filter(({ message }) => message.includes("is not bound"))).toEqual([]);
  });

  test("[CF5] a name that no binding can have is a fault", () => {
    expect(pathsOf(faultsOf(readAt(["providers", "second", "api_key"], "MODELS KEY")))).toEqual([
      "providers.second.api_key",
    ]);
  });
});
