/** The names under which a provider knows tools: legal, stable, and each one tool's. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { providerName, providerNames } from "../../../src/core/turn/provider-names.ts";
import { digestText } from "../../../src/receipts/digest.ts";

const LEGAL = /^[A-Za-z0-9_-]{1,64}$/;
const hashOf = (name: string, digits: number): string => digestText(name).slice(0, digits);

describe("one name", () => {
  test.each([
    ["files__read.text", "files__read_text_177c2de3"],
    ["a".repeat(70), `${"a".repeat(55)}_6bd5e503`],
    ["météo", "m_t_o_54d1ed64"],
    ["calculator", "calculator"],
    ["a".repeat(64), "a".repeat(64)],
    ["-1", "-1"],
    ["🦜", `__${hashOf("🦜", 8)}`],
    ["__proto__", "__proto__"],
    ["a".repeat(200), `${"a".repeat(55)}_${hashOf("a".repeat(200), 8)}`],
  ])("[SC1] %s is sent as %s", (real, sent) => {
    expect(providerName(real)).toBe(sent);
  });

  test("[SC3] it depends on nothing but the name itself, so old history keeps it", () => {
    expect(providerName("files__read.text")).toBe(providerNames(["files__read.text", "other"]).get("files__read.text"));
  });
});

describe("the names of one request", () => {
  test("[SC2] a rewritten name that equals another one takes 16 digits, and the legal one stays", () => {
    const taken = `x_y_${hashOf("x.y", 8)}`;
    const names = providerNames(["x.y", taken]);
    expect([...names]).toEqual([
      ["x.y", `x_y_${hashOf("x.y", 16)}`],
      [taken, taken],
    ]);
  });

  test("[SC2][SE91] somebody who takes the longer name as well shadows nothing", () => {
    const real = ["x.y", `x_y_${hashOf("x.y", 8)}`, `x_y_${hashOf("x.y", 16)}`];
    expect(new Set(providerNames(real).values()).size).toBe(3);
  });

  test("[SC1][SC2][SE91] whatever the names, all are legal and none is shared", () => {
    const base = fc.string({ unit: "grapheme", minLength: 1, maxLength: 128 });
    const hostile = base.chain((name) => fc.constantFrom(name, providerName(name), providerName(name, 16)));
    fc.assert(
      fc.property(fc.uniqueArray(hostile, { maxLength: 30 }), (real) => {
        const sent = [...providerNames(real).values()];
        expect(sent.every((name) => LEGAL.test(name))).toBe(true);
        expect(new Set(sent).size).toBe(real.length);
      }),
    );
  });
});
