/** Imports only point inward: a deny-by-default map over the real import graph. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { type Import, readImports } from "../support/import-graph.ts";
import { readSourceFiles } from "../support/source-files.ts";

interface Allowed {
  readonly layers: readonly string[];
  readonly packages: readonly string[];
  /** May import nothing that exists at run time from other layers. */
  readonly typesOnly?: true;
}

const inner = ["contracts", "receipts", "policy", "core", "tools", "mcp", "providers", "storage", "observe", "wire"];

const allowed: Record<string, Allowed> = {
  contracts: { layers: [], packages: ["zod"] },
  receipts: { layers: ["contracts"], packages: ["@noble/hashes", "canonicalize"] },
  policy: { layers: ["contracts"], packages: [] },
  core: { layers: ["contracts", "receipts", "policy"], packages: [] },
  tools: { layers: ["contracts", "policy", "receipts"], packages: ["zod", "@cfworker/json-schema"] },
  mcp: {
    layers: ["contracts", "policy", "receipts"],
    packages: ["@modelcontextprotocol/client", "@cfworker/json-schema"],
  },
  providers: {
    layers: ["contracts", "policy", "receipts"],
    packages: [
      "@ai-sdk/provider",
      "@ai-sdk/openai-compatible",
      "@ai-sdk/anthropic",
      "workers-ai-provider",
      "eventsource-parser",
    ],
  },
  storage: { layers: ["contracts"], packages: [] },
  observe: { layers: ["contracts"], packages: [] },
  wire: { layers: ["contracts"], packages: ["zod"] },
  http: { layers: ["wire", "contracts", "receipts", "policy"], packages: ["hono", "@hono/zod-openapi", "jose"] },
  "durable-objects": {
    layers: [...inner, "http", "config"],
    packages: ["itty-router", "cloudflare:workers", "#config"],
  },
  client: { layers: ["wire", "contracts"], packages: [], typesOnly: true },
  console: { layers: ["wire", "contracts"], packages: [] },
  // Reads and checks a config file; its faults are told in the words of all others.
  config: { layers: ["contracts", "policy", "wire"], packages: ["zod"] },
  // What a config file imports as `countersign`.
  "config-api": { layers: ["contracts", "tools"], packages: [] },
  // Files directly in src/: the Worker's entry with the types of its bindings.
  entry: {
    layers: ["contracts", "http", "config", "durable-objects"],
    packages: ["hono", "cloudflare:workers", "#config"],
  },
};

function layerOf(path: string): string {
  if (path.startsWith("durable-objects/")) return "durable-objects";
  if (path === "src/config.ts") return "config-api";
  return /^src\/([^/]+)\//.exec(path)?.[1] ?? (/^src\/[^/]+$/.test(path) ? "entry" : "outside");
}

function isAllowed({ from, target, local, typeOnly }: Import): boolean {
  const layer = layerOf(from);
  const rule = allowed[layer];
  if (rule === undefined) return false;
  if (!local) return rule.packages.includes(target);
  const targetLayer = layerOf(target);
  if (targetLayer === layer) return true;
  return rule.layers.includes(targetLayer) && (typeOnly || rule.typesOnly !== true);
}

const files = readSourceFiles("src/**/*.ts", "durable-objects/**/*.ts");
const imports = files.flatMap(readImports);
const show = ({ from, target }: Import): string => `${from} → ${target}`;

describe("layers", () => {
  test("every file lies in a known layer", () => {
    expect(files.map(({ path }) => path).filter((path) => !(layerOf(path) in allowed))).toEqual([]);
  });

  test("every import is one that its layer may have", () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(imports.filter((found) => !isAllowed(found)).map(show)).toEqual([]);
  });

  test("[RX3] the core cannot look configuration up: of the config file it knows the types of hooks, and nothing else", () => {
    const fromCore = imports.filter(({ from }) => layerOf(from) === "core");
    const config = fromCore.filter(({ target }) => /^src\/(config|contracts\/config)[./]/.test(target));
    expect(new Set(config.map(({ target }) => target))).toEqual(new Set(["src/contracts/config/tool-hook.ts"]));
    const environment = /\b(?:globalThis|process\.env|import\.meta)\b/;
    const reaching = files.filter(({ path, text }) => layerOf(path) === "core" && environment.test(text));
    expect(reaching.map(({ path }) => path)).toEqual([]);
  });

  test("local imports name an existing .ts file", () => {
    const broken = imports.filter(({ local, target }) => local && !existsSync(join(projectRoot, target)));
    expect(broken.map(show)).toEqual([]);
  });

  test("a wrong arrow is found, whatever its form", () => {
    const text = [
      'import { Hono } from "hono";',
      'import type { App } from "../http/app.ts";',
      'export * from "../storage/turn-store.ts";',
      'import "node:fs";',
      'const later = () => import("../../durable-objects/conversation.ts");',
    ].join("\n");
    const found = readImports({ path: "src/core/probe.ts", text });
    expect(found.map(({ target }) => target).toSorted()).toEqual([
      "durable-objects/conversation.ts",
      "hono",
      "node:fs",
      "src/http/app.ts",
      "src/storage/turn-store.ts",
    ]);
    expect(found.filter(isAllowed)).toEqual([]);
  });
});
