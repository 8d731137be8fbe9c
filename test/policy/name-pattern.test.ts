/** One matcher for every list of tool names, one more forgiving one for exclusions. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { namePattern } from "../../src/contracts/config/fields.ts";
import { foldAscii } from "../../src/policy/fold-ascii.ts";
import { matchesAny, matchesExcluded, matchesPattern } from "../../src/policy/name-pattern.ts";

describe("matchesPattern", () => {
  test.each([
    ["files__read", "files__read", true],
    ["files__read", "files__reads", false],
    ["files__read", "Files__read", false],
    ["*", "anything", true],
    ["*", "", true],
    ["files__*", "files__read", true],
    ["files__*", "files__", true],
    ["gh__*", "ghx", false],
    ["*__read", "files__read", true],
    ["*__read", "__read", true],
    ["a*z", "az", true],
    ["a*z", "abz", true],
    ["ab*ba", "aba", false],
    ["aa*", "a", false],
    [" shell", "shell", false],
    ["a.c", "abc", false],
    ["", "x", false],
  ])("[SE90] %j against %j is %j", (pattern, name, matches) => {
    expect(matchesPattern(pattern, name)).toBe(matches);
  });

  test("[FG3] a star stands for any run: exactly the names with that start and that end", () => {
    const part = fc.string({ maxLength: 4 }).map((text) => text.replaceAll("*", ""));
    fc.assert(
      fc.property(part, part, part, (prefix, middle, suffix) => {
        expect(matchesPattern(`${prefix}*${suffix}`, prefix + middle + suffix)).toBe(true);
        expect(matchesPattern(`${prefix}*${suffix}x`, prefix + middle + suffix)).toBe(
          (prefix + middle + suffix).slice(prefix.length).endsWith(`${suffix}x`),
        );
      }),
    );
  });

  test("[SE90] two stars and empty patterns are faults, everything else is none", () => {
    const accepted = (pattern: string): boolean => namePattern.safeParse(pattern).success;
    expect(["", "  ", "**", "a*b*"].filter(accepted)).toEqual([]);
    expect(["*", "a", "a*", "*a", "a*b"].filter((pattern) => !accepted(pattern))).toEqual([]);
  });

  test("[SE90] a list matches when one of it does; an empty one never", () => {
    expect(matchesAny(["x", "files__*"], "files__read")).toBe(true);
    expect(matchesAny([], "files__read")).toBe(false);
  });
});

describe("matchesExcluded", () => {
  test("[TS4][RG6] spaces around and ASCII case on either side do not save a tool", () => {
    expect(matchesExcluded(["Shell "], "shell")).toBe(true);
    expect(matchesExcluded(["shell"], " SHELL\n")).toBe(true);
    expect(matchesExcluded([" FILES__Write "], "files__write")).toBe(true);
    expect(matchesExcluded(["FILES__* "], "files__read")).toBe(true);
    expect(matchesExcluded([" "], "shell")).toBe(false);
  });

  test("[TS4] only ASCII is folded", () => {
    expect(foldAscii("ÄK\u212aZ")).toBe("Äk\u212az");
    expect(matchesExcluded(["\u212aill"], "kill")).toBe(false);
  });
});
