/** What a message keeps out of sight. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ToolFilterGroup } from "../../src/contracts/agent-profile.ts";
import type { InputPart } from "../../src/contracts/message.ts";
import { type FilterableTool, filterMessage, hiddenTools } from "../../src/policy/tool-filter-groups.ts";

const mcp = (name: string): FilterableTool => ({ name, origin: "mcp" });
const dynamic = (tools: string[], ...keywords: string[]): ToolFilterGroup => ({ mode: "dynamic", tools, keywords });
const always = (tools: string[], ...keywords: string[]): ToolFilterGroup => ({ mode: "always", tools, keywords });

const hidden = (groups: readonly ToolFilterGroup[], names: readonly string[], message: string): string[] => [
  ...hiddenTools(groups, names.map(mcp), message),
];

describe("who can be hidden", () => {
  test("[TS5][FG1] without groups nothing is", () => {
    expect(hidden([], ["a__x"], "hello")).toEqual([]);
  });

  test("[TS5][FG1] only tools of MCP origin are, whatever a name looks like", () => {
    const tools: FilterableTool[] = [
      { name: "x__y", origin: "builtin" },
      { name: "z__y", origin: "code" },
      { name: "c__y", origin: "client" },
      mcp("plain"),
      mcp("m__y"),
    ];
    expect([...hiddenTools([dynamic(["nothing"], "never")], tools, "hello")]).toEqual(["plain", "m__y"]);
  });

  test("[TS9] a group that names a tool nobody granted brings nothing", () => {
    expect(hidden([always(["other__*"])], ["a__x"], "hello")).toEqual(["a__x"]);
  });
});

describe("what opens a group", () => {
  test.each<[string, ToolFilterGroup, string, boolean]>([
    ["a keyword inside the message, in any ASCII case", dynamic(["web__*"], "browse"), "Please BROWSE this", true],
    ["a keyword in capitals", dynamic(["web__*"], "BROWSE"), "please browse", true],
    ["no keyword of it", dynamic(["web__*"], "browse"), "hello", false],
    ["one keyword of several", dynamic(["web__*"], "surf", "page"), "a page", true],
    ["no keywords at all", dynamic(["web__*"]), "browse", false],
    ["always, with keywords that are not there", always(["web__*"], "browse"), "hello", true],
    ["an empty keyword", dynamic(["web__*"], ""), "", true],
    ["letters beyond ASCII in another case", dynamic(["web__*"], "Straße"), "STRASSE", false],
    ["white space that is meant", dynamic(["web__*"], " go "), "let us go", false],
    ["a dotted capital I", dynamic(["web__*"], "fili"), "FİLİ", false],
  ])("[TS6][FG2] %s", (...[, group, message, visible]) => {
    expect(hidden([group], ["web__open"], message)).toEqual(visible ? [] : ["web__open"]);
  });

  test("[TS6] one open group that names it is enough", () => {
    const groups = [dynamic(["a__*"], "never"), dynamic(["a__x"], "hello")];
    expect(hidden(groups, ["a__x", "a__y"], "hello")).toEqual(["a__y"]);
  });

  test.each<[string, boolean]>([
    ["aba", false],
    ["abba", true],
    ["abxba", true],
    ["Abba", false],
  ])("[FG3] pattern ab*ba and %s", (name, visible) => {
    expect(hidden([always(["ab*ba"])], [name], "")).toEqual(visible ? [] : [name]);
  });

  test("[FG2] the message is the text parts of the input, a line each", () => {
    const parts: InputPart[] = [
      { type: "text", text: "bro" },
      { type: "image", mediaType: "image/png", url: "https://example.com/surf" },
      { type: "text", text: "wse" },
    ];
    expect(filterMessage(parts)).toBe("bro\nwse");
  });
});

test("[TS9] for any groups and message, groups only take away, and more open groups hide less", () => {
  const name = fc.constantFrom("a__x", "a__y", "b__x", "plain");
  const group: fc.Arbitrary<ToolFilterGroup> = fc.record({
    mode: fc.constantFrom("always" as const, "dynamic" as const),
    tools: fc.array(fc.constantFrom("a__*", "*__x", "plain", "*", "none"), { maxLength: 2 }),
    keywords: fc.array(fc.constantFrom("go", "stop", ""), { maxLength: 2 }),
  });
  fc.assert(
    fc.property(fc.array(group, { minLength: 1, maxLength: 4 }), group, fc.uniqueArray(name), (groups, more, names) => {
      const before = hidden(groups, names, "we go");
      expect(names).toEqual(expect.arrayContaining(before));
      expect(before).toEqual(expect.arrayContaining(hidden([...groups, more], names, "we go")));
    }),
    { numRuns: 1000 },
  );
});
