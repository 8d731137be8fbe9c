/** Names that somebody may have meant. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { suggestNames } from "../../../src/core/turn/suggest-names.ts";

const names = ["calculator", "current_time", "files__read", "mail__read", "files__list", "constructor"];

test.each([
  ["calculater", ["calculator"]],
  ["alculato", ["calculator"]],
  ["lculato", []],
  ["Calculator", ["calculator"]],
  ["curent_tiime", ["current_time"]],
  ["disk__read", ["files__read", "mail__read"]],
  ["file__read", ["files__read", "mail__read"]],
  ["read", ["files__read", "mail__read"]],
  ["list", ["files__list"]],
  ["toString", []],
  ["", []],
])("[RG11] %j: %j", (asked, expected) => {
  expect(suggestNames(asked, names)).toEqual(expected);
});

test("[RG11] at most 3, the nearest first", () => {
  expect(suggestNames("aaa", ["abb", "aab", "aaaaa", "aa"])).toEqual(["aab", "aa", "abb"]);
});

test("[RG11] only ever names that were given", () => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string()), (asked, given) => {
      const suggested = suggestNames(asked, given);
      expect(suggested.length).toBeLessThanOrEqual(3);
      expect(suggested.every((name) => given.includes(name))).toBe(true);
    }),
  );
});
