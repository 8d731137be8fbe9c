/** defineTool: defaults, schemas, the definition hash, faults that never throw. */
import { createHash } from "node:crypto";
import { describe, expect, expectTypeOf, test } from "vitest";
import { z } from "zod";
import { isCodeTool } from "../../src/contracts/config/tools.ts";
import type { JsonObject, JsonSchema } from "../../src/contracts/json.ts";
import { defineTool } from "../../src/tools/define-tool.ts";
import type { ToolFlags } from "../../src/tools/tool-declaration.ts";
import { fail, ok, partial } from "../../src/tools/tool-result.ts";
import { runTool } from "./run-tool.ts";

const open: JsonSchema = { type: "object" };

function named(name: string, flags: ToolFlags = {}): ReturnType<typeof defineTool> {
  return defineTool({ name, description: "Does it", input: open, execute: () => "done", ...flags });
}

describe("attributes", () => {
  test("[TC1] a tool is one frozen value with every default filled in", () => {
    const tool = named("plain");
    expect(Object.isFrozen(tool)).toBe(true);
    expect(Object.isFrozen(tool.secrets)).toBe(true);
    expect(tool).toMatchObject({
      origin: "code",
      provenance: "extension",
      risk: "medium",
      readOnly: false,
      idempotent: false,
      repeatGuard: false,
      reEntrant: false,
      approvalMarker: false,
      client: false,
      secrets: [],
      faults: [],
    });
    expect(tool).not.toHaveProperty("timeoutSecs");
    expect(tool).not.toHaveProperty("needsApproval");
  });

  test("[TC1] what is declared stands", () => {
    const flags = {
      risk: "low",
      readOnly: true,
      idempotent: true,
      timeoutSecs: 600,
      repeatGuard: true,
      reEntrant: true,
      approvalMarker: true,
      provenance: "native",
      secrets: ["SHOP_TOKEN"],
    } as const;
    expect(named("plain", flags)).toMatchObject(flags);
  });

  test.each([
    ["shell", {}, { repeatGuard: true, approvalMarker: true, reEntrant: false }],
    ["refund", { risk: "high" }, { repeatGuard: true, approvalMarker: false }],
    ["refund", { risk: "high", repeatGuard: false }, { repeatGuard: false }],
    ["delegate", {}, { reEntrant: true, repeatGuard: false }],
    ["cron_run", {}, { approvalMarker: true }],
    ["cron_list", {}, { approvalMarker: false }],
    ["schedule", { approvalMarker: false }, { approvalMarker: false }],
  ] as const)("[TC1] defaults that hang on the name or the risk: %s %j", (name, flags, expected) => {
    expect(named(name, flags)).toMatchObject(expected);
  });

  test("[TC1] needsApproval: true asks for all arguments, a function for those it says", async () => {
    const always = defineTool({ ...base, needsApproval: true });
    const large = defineTool({ ...base, needsApproval: ({ cents }) => cents > 100 });
    expect(await always.needsApproval?.({})).toBe(true);
    expect([await large.needsApproval?.({ cents: 100 }), await large.needsApproval?.({ cents: 101 })]).toEqual([
      false,
      true,
    ]);
  });
});

const base = {
  name: "refund",
  description: "Refunds an order",
  input: z.object({ cents: z.int().min(1), note: z.string().default("none"), at: z.iso.date().optional() }),
  execute: () => "refunded",
};

describe("schemas", () => {
  test("[TC3] zod: offered as input schema, executed with the parsed form", async () => {
    const tool = defineTool({
      ...base,
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<{ cents: number; note: string; at?: string | undefined }>();
        return ok(JSON.stringify(args));
      },
    });
    expect(tool.definition.inputSchema).toMatchObject({ type: "object", required: ["cents"] });
    expect(await runTool(tool, { cents: 5, extra: true })).toEqual(ok('{"cents":5,"note":"none"}'));
  });

  test("[TC3][CP20] JSON Schema: executed with a copy of the arguments that were checked", () => {
    const tool = defineTool({
      name: "refund",
      description: "Refunds an order",
      input: { type: "object", properties: { cents: { type: "integer" } }, required: ["cents"] },
      execute: (args) => {
        expectTypeOf(args).toEqualTypeOf<JsonObject>();
        return "refunded";
      },
    });
    const args = { cents: 5, extra: [1] };
    const checked = tool.checkArguments(args);
    expect(checked.ok && checked.value).toEqual(args);
    expect(checked.ok && checked.value).not.toBe(args);
  });

  test.each([
    [{}, "cents"],
    [{ cents: 0.5 }, "cents"],
    [{ cents: 1, note: 7 }, "note"],
  ])("[TC3] arguments off schema name the place: %j", (args, path) => {
    const checked = defineTool(base).checkArguments(args);
    expect(checked.ok ? [] : checked.failure.map((fault) => fault.path)).toEqual([path]);
  });

  test("[HP15] a refinement that throws, or that would have to be awaited, is a fault and never a pass", () => {
    const throwing = z.object({}).refine(() => {
      throw new Error("broken");
    });
    const waiting = z.object({}).refine(() => Promise.resolve(true));
    for (const input of [throwing, waiting]) {
      const checked = defineTool({ ...base, input, execute: () => "" }).checkArguments({});
      expect(checked).toMatchObject({ ok: false, failure: [{ path: "" }] });
    }
  });

  test("[SE58] a member called __proto__ or constructor is plain data and reaches no prototype", () => {
    const args = JSON.parse('{"cents":1,"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    expect(defineTool(base).checkArguments(args).ok).toBe(true);
    expect(named("plain").checkArguments(args).ok).toBe(true);
    expect({}).not.toHaveProperty("polluted");
  });
});

describe("definition", () => {
  test("[TC15] importing costs nothing: the schema is read when the definition is first asked for, once", () => {
    let reads = 0;
    const tool = defineTool({
      name: "lazy",
      description: "Waits",
      get input() {
        reads += 1;
        return open;
      },
      execute: () => "done",
    });
    expect(reads).toBe(0);
    const { definition } = tool;
    const once = reads;
    expect(once).toBeGreaterThan(0);
    expect(tool.definition).toBe(definition);
    expect([tool.definitionHash, tool.faults.length, tool.checkArguments({}).ok]).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}$/),
      0,
      true,
    ]);
    expect(reads).toBe(once);
  });

  test("[TC15] the definition is frozen to its last member, and is not the author's own object", () => {
    const input = { type: "object", properties: { list: { enum: ["a"] } } };
    const { definition } = defineTool({ name: "t", description: "d", input, execute: () => "" });
    input.properties.list.enum.push("b");
    expect(definition.inputSchema).toEqual({ type: "object", properties: { list: { enum: ["a"] } } });
    expect(partsOf(definition).every((part) => Object.isFrozen(part))).toBe(true);
  });

  test("[TS17] the hash is SHA-256 over the canonical JSON of the definition, absent members left out", () => {
    const tool = defineTool({
      name: "t",
      title: "T",
      description: "d",
      input: { type: "object", required: ["a"], properties: { a: { type: "string" } } },
      output: { type: "object" },
      execute: () => "",
    });
    const canonical =
      '{"description":"d","inputSchema":{"properties":{"a":{"type":"string"}},"required":["a"],"type":"object"},' +
      '"name":"t","outputSchema":{"type":"object"},"title":"T"}';
    expect(tool.definitionHash).toBe(createHash("sha256").update(canonical).digest("hex"));
  });

  test("[TS17] flags are no part of it, words are", () => {
    const { definitionHash } = named("same");
    expect(named("same", { risk: "high", timeoutSecs: 5 }).definitionHash).toBe(definitionHash);
    expect(named("other").definitionHash).not.toBe(definitionHash);
  });
});

/** The value with everything inside it. */
function partsOf(value: unknown): readonly unknown[] {
  return [value, ...(typeof value === "object" && value !== null ? Object.values(value).flatMap(partsOf) : [])];
}

describe("faults", () => {
  test.each(["a", "A-1_b.c", `a${"b".repeat(127)}`])("[TC2] a real name: %s", (name) => {
    expect(named(name).faults).toEqual([]);
  });

  test.each(["", "1a", "_a", "a b", "météo", `a${"b".repeat(128)}`, "a\n"])("[TC2] no real name: %j", (name) => {
    expect(named(name).faults.map(({ path }) => path)).toEqual(["name"]);
  });

  test.each([
    [{ description: " \n" }, ["description"]],
    [{ description: "𝄞".repeat(4_097) }, ["description"]],
    [{ description: "𝄞".repeat(4_096) }, []],
    [{ description: "\ud800" }, ["description"]],
    [{ timeoutSecs: 0 }, ["timeoutSecs"]],
    [{ timeoutSecs: 601 }, ["timeoutSecs"]],
    [{ timeoutSecs: 1.5 }, ["timeoutSecs"]],
    [{ risk: "none" }, ["risk"]],
    [{ needsApproval: false }, ["needsApproval"]],
    [{ execute: undefined }, ["execute"]],
    [{ needs_approval: true }, [""]],
    [{ secrets: 7 }, ["secrets"]],
    [{ secrets: "KEY" }, ["secrets"]],
    [{ secrets: null }, ["secrets"]],
    [{ name: undefined }, ["name"]],
    [{ name: 7, description: null }, ["name", "description"]],
    [{ title: 7, provenance: "own" }, ["title", "provenance"]],
    [{ input: undefined }, ["input"]],
    [{ input: z.string() }, ["input"]],
    [{ input: z.union([z.object({}), z.object({ a: z.string() })]) }, ["input"]],
    [{ input: { type: "object", properties: { a: { const: "\ud800" } } } }, [""]],
    [{ input: { type: "array" } }, ["input.type"]],
    [{ input: { type: "object", properties: { a: { type: "text" } } } }, ["input.properties.a.type"]],
    [{ input: z.object({ at: z.date() }) }, ["input"]],
    [{ output: z.bigint() }, ["output"]],
    [{ output: { $schema: "http://json-schema.org/draft-04/schema#" } }, ["output.$schema"]],
  ])("[CF6] %j is a fault with a path, and defining it throws nothing", (wrong, paths) => {
    const declaration = { name: "t", description: "d", input: open, execute: () => "", ...wrong };
    const tool = defineTool(declaration as Parameters<typeof defineTool>[0]);
    expect(tool.faults.map(({ path }) => path)).toEqual(paths);
    expect(tool.checkArguments({})).toEqual(
      paths.length === 0 ? { ok: true, value: {} } : { ok: false, failure: tool.faults },
    );
  });

  test.each([[undefined], [null], [7], ["tool"], [[]]])(
    "[CF6] %j is no declaration: a fault, not an exception",
    (wrong) => {
      const tool = Reflect.apply(defineTool, undefined, [wrong]) as ReturnType<typeof defineTool>;
      expect(tool).toMatchObject({ faults: [{ path: "", message: "must be an object" }], secrets: [], risk: "medium" });
      expect(tool.checkArguments({})).toEqual({ ok: false, failure: tool.faults });
      expect(isCodeTool(tool)).toBe(true);
    },
  );

  test("[CF6] all faults are told at once", () => {
    const tool = named("no name", { timeoutSecs: 0, secrets: [""] });
    expect(tool.faults.map(({ path }) => path)).toEqual(["name", "timeoutSecs", "secrets.0"]);
  });
});

describe("results", () => {
  test("[TC7] the three helpers make the three forms", () => {
    expect(ok("text")).toEqual({ success: true, output: "text" });
    expect(ok("text", null)).toEqual({ success: true, output: "text", data: null });
    expect(fail("why")).toEqual({ success: false, error: "why" });
    expect(partial("why", "body")).toEqual({ success: false, error: "why", output: "body" });
  });

  test("[EX5] a tool that throws before its first await rejects like any other", async () => {
    const tool = defineTool({
      ...base,
      execute: () => {
        throw new Error("broken");
      },
    });
    await expect(runTool(tool, { cents: 1 })).rejects.toThrow("broken");
  });
});
