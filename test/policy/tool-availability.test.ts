/** Everything that can withhold a tool, and that nothing brings back what is withheld. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesExcluded } from "../../src/policy/name-pattern.ts";
import { type AvailabilityPolicy, availabilityOf, type CandidateTool } from "../../src/policy/tool-availability.ts";

const tool = (name: string, changes: Partial<CandidateTool> = {}): CandidateTool => ({
  name,
  origin: "code",
  readOnly: false,
  ...changes,
});
const mcp = (name: string): CandidateTool => tool(name, { origin: "mcp" });

interface Lists {
  readonly profile?: Partial<AvailabilityPolicy["profile"]>;
  readonly narrowing?: AvailabilityPolicy["narrowing"];
  readonly bundles?: NonNullable<AvailabilityPolicy["bundles"]>;
}
const policy = ({ profile, narrowing = {}, bundles = [] }: Lists = {}): AvailabilityPolicy => ({
  profile: { level: "supervised", allowedTools: [], excludedTools: [], mcpAutoAdmit: true, ...profile },
  narrowing,
  bundles,
});

describe("the risk profile", () => {
  test("[RG4] an empty allow list constrains nothing", () => {
    expect(availabilityOf(tool("shell"), policy())).toBe("granted");
  });

  test("[RG4][TS3] a list admits its names and, by origin, MCP tools", () => {
    const listed = policy({ profile: { allowedTools: ["calculator"] } });
    expect(availabilityOf(tool("calculator"), listed)).toBe("granted");
    expect(availabilityOf(mcp("files__read"), listed)).toBe("granted");
    expect(availabilityOf(tool("x__y"), listed)).toBe("not_allowed");
    expect(availabilityOf(tool("Calculator"), listed)).toBe("not_allowed");
  });

  test("[RG4] without mcp_auto_admit MCP tools need a pattern too", () => {
    const strict = policy({ profile: { allowedTools: ["files__re*"], mcpAutoAdmit: false } });
    expect(availabilityOf(mcp("files__read"), strict)).toBe("granted");
    expect(availabilityOf(mcp("files__write"), strict)).toBe("not_allowed");
  });

  test("[RG8] level read_only leaves read-only tools alone", () => {
    const readOnly = policy({ profile: { level: "read_only" } });
    expect(availabilityOf(tool("write"), readOnly)).toBe("level");
    expect(availabilityOf(mcp("files__write"), readOnly)).toBe("level");
    expect(availabilityOf(tool("read", { readOnly: true }), readOnly)).toBe("granted");
  });
});

describe("one run", () => {
  test("[RG5][TS3] its allow list has no exception for MCP, and an empty one admits nothing", () => {
    const narrowed = policy({ narrowing: { allowedTools: ["calculator"] } });
    expect(availabilityOf(tool("calculator"), narrowed)).toBe("granted");
    expect(availabilityOf(mcp("files__read"), narrowed)).toBe("narrowed");
    expect(availabilityOf(tool("calculator"), policy({ narrowing: { allowedTools: [] } }))).toBe("narrowed");
  });

  test("[RG5] its list admits nothing that the profile does not", () => {
    const both = policy({ profile: { allowedTools: ["calculator"] }, narrowing: { allowedTools: ["*"] } });
    expect(availabilityOf(tool("shell"), both)).toBe("not_allowed");
  });
});

describe("exclusion", () => {
  test("[TS4][RG6] holds for the profile's and the run's list", () => {
    const excluding = policy({
      profile: { excludedTools: [" FILES__Write "] },
      narrowing: { excludedTools: ["Shell "] },
    });
    expect(availabilityOf(mcp("files__write"), excluding)).toBe("excluded");
    expect(availabilityOf(tool("shell"), excluding)).toBe("excluded");
    expect(availabilityOf(mcp("files__read"), excluding)).toBe("granted");
  });

  test("[RG6] nothing brings an excluded name back, and no list widens another", () => {
    const names = fc.subarray(["a", "A ", "a*", "*", "b"]);
    const anyPolicy = fc.record({
      profile: fc.record({
        level: fc.constantFrom("full" as const, "supervised" as const, "read_only" as const),
        allowedTools: names,
        excludedTools: names,
        mcpAutoAdmit: fc.boolean(),
      }),
      narrowing: fc.record({ allowedTools: names, excludedTools: names }, { requiredKeys: [] }),
      bundles: fc.array(fc.record({ tools: names, exclude: names }), { maxLength: 3 }),
    });
    const anyTool = fc.record({
      name: fc.constantFrom("a", "b", "ab"),
      origin: fc.constantFrom("code" as const, "mcp" as const, "builtin" as const),
      readOnly: fc.boolean(),
    });
    fc.assert(
      fc.property(anyTool, anyPolicy, (candidate, given) => {
        const granted = availabilityOf(candidate, given) === "granted";
        const unnarrowed = availabilityOf(candidate, { ...given, narrowing: {} }) === "granted";
        const excluded = [...given.profile.excludedTools, ...(given.narrowing.excludedTools ?? [])];
        expect(granted && matchesExcluded(excluded, candidate.name)).toBe(false);
        expect(granted && !unnarrowed).toBe(false);
      }),
    );
  });
});

describe("bundles", () => {
  const reports = { tools: ["report__*", "mailer"], exclude: [] };
  const quiet = { tools: ["notes"], exclude: ["mailer"] };

  test("[RG3] no bundle named: every configured tool", () => {
    expect(availabilityOf(tool("notes"), policy())).toBe("granted");
  });

  test("[RG3] tools come from any bundle and are kept out by any", () => {
    const bundled = policy({ bundles: [reports, quiet] });
    expect(availabilityOf(tool("report__make"), bundled)).toBe("granted");
    expect(availabilityOf(tool("notes"), bundled)).toBe("granted");
    expect(availabilityOf(tool("mailer"), bundled)).toBe("not_bundled");
    expect(availabilityOf(tool("other"), bundled)).toBe("not_bundled");
  });

  test("[RG3] they choose among configured tools only", () => {
    const bundled = policy({ bundles: [quiet] });
    const origins = ["code", "http", "service", "builtin", "mcp", "client", "delegate"] as const;
    expect(origins.map((origin) => availabilityOf(tool("other", { origin }), bundled))).toEqual([
      "not_bundled",
      "not_bundled",
      "not_bundled",
      "granted",
      "granted",
      "granted",
      "granted",
    ]);
  });

  test("[RG2] a bundle grants nothing that the profile excludes", () => {
    const both = policy({ bundles: [reports], profile: { excludedTools: ["mailer"] } });
    expect(availabilityOf(tool("mailer"), both)).toBe("excluded");
  });
});
