/** The claim check: measured on generated cases in four languages, and what each finding says. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ClaimKind, ToolRun } from "../../../src/contracts/text-check.ts";
import { type ClaimEvidence, checkClaims } from "../../../src/receipts/claims/check-claims.ts";
import { makeClaimCases } from "./claim-cases.ts";
import { latePhrases, phrases } from "./claim-phrases.ts";
import { heldOutPhrases } from "./held-out-phrases.ts";
import { measureClaims } from "./measure-claims.ts";

/** Wordings that the patterns were made for, or revised against. */
const known = [...makeClaimCases(phrases, 11, 50), ...makeClaimCases(latePhrases, 12, 50)];
const unheard = makeClaimCases(heldOutPhrases, 13, 50);

const least: Readonly<Record<ClaimKind, number>> = {
  fabricated_tool: 0.942,
  count_mismatch: 0.876,
  false_absence: 0.913,
  unknown_source: 0.95,
};

describe("measured", () => {
  test.each(Object.entries(least) as [ClaimKind, number][])(
    "[RE10] %s: recall of at least %d, hardly a false alarm",
    (kind, recall) => {
      const measured = measureClaims(known)[kind];
      expect(measured.recall).toBeGreaterThanOrEqual(recall);
      expect(measured.precision).toBeGreaterThanOrEqual(0.97);
    },
  );

  test("[RE10] in wordings that it was not made for it misses more, and raises no more false alarms", () => {
    const measured = measureClaims(unheard);
    expect(measured.fabricated_tool.recall).toBeGreaterThanOrEqual(0.5);
    expect(measured.count_mismatch.recall).toBeGreaterThanOrEqual(0.75);
    for (const { precision } of Object.values(measured)) expect(precision).toBeGreaterThanOrEqual(0.95);
  });

  test("[RE10] there are 300 cases and more, half of them true", () => {
    expect(known.length).toBeGreaterThanOrEqual(300);
    expect(known.filter(({ isFalse }) => isFalse)).toHaveLength(known.length / 2);
    expect(makeClaimCases(phrases, 11, 5)).toEqual(makeClaimCases(phrases, 11, 5));
  });
});

const list = JSON.stringify({ results: [{ url: "https://example.org/a?b=1" }, { url: "https://example.org/c" }, {}] });
const run = (changes: Partial<ToolRun> = {}): ToolRun => ({
  tool: "web_search",
  disposition: "succeeded",
  args: '{"query":"q"}',
  shown: list,
  truncated: false,
  receipt: "zc-receipt-1-a",
  ...changes,
});
const over = (changes: Partial<ClaimEvidence> = {}): ClaimEvidence => ({
  runs: [run()],
  knownTools: ["web_search", "send_email", "weather"],
  given: "",
  ...changes,
});
const kindsOf = (text: string, changes: Partial<ClaimEvidence> = {}) =>
  checkClaims(text, over(changes)).map(({ kind }) => kind);

describe("a finding", () => {
  test("[RE10] names its kind, the words with their place, the receipts that were looked at, and how sure it is", () => {
    const text = "I found 3 pages. I called send_email too.";
    expect(checkClaims(text, over())).toEqual([
      {
        kind: "fabricated_tool",
        text: "send_email",
        start: text.indexOf("send_email"),
        end: text.indexOf(" too"),
        receipts: ["zc-receipt-1-a"],
        confidence: 0.95,
      },
    ]);
  });

  test("[RE10] always lies in the text, for any text", () => {
    const words = fc.constantFrom(
      "I called ",
      "`send_email`",
      " found 7 results",
      "没有结果。",
      "\n",
      "https://x.example/1 ",
      "```",
      "मुझे ५ होटल मिले। ",
      "Source: ",
    );
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: "binary" }),
          fc.array(words).map((parts) => parts.join("")),
        ),
        (text) => {
          for (const { start, end, text: span, confidence } of checkClaims(text, over())) {
            expect(text.slice(start, end)).toBe(span);
            expect(confidence > 0 && confidence <= 1).toBe(true);
          }
        },
      ),
    );
  });
});

describe("what is no finding", () => {
  test.each([
    ["a tool that ran, in words", "I used the web search tool.", {}],
    ["a common word that is a tool's name, too", "According to the weather it rains.", {}],
    [
      "a field of a result",
      "I called it using `order_key` and it worked.",
      { runs: [run({ shown: '[{"order_key":1}]' })] },
    ],
    ["code", "```\nsend_email(); // called\n```", {}],
    [
      "a tool that failed, told as such",
      "I called send_email but it failed.",
      { runs: [run({ tool: "send_email", disposition: "failed" })] },
    ],
    [
      "a total that a result states",
      "There are 120 results.",
      { runs: [run({ shown: '{"results":[1,2],"total":120}' })] },
    ],
    ["a count of what was cut", "I found 9 results.", { runs: [run({ truncated: true })] }],
    ["the sum of two lists", "I found 6 results.", { runs: [run(), run()] }],
    ["nothing, where one of two results is empty", "Nothing was found.", { runs: [run(), run({ shown: "[]" })] }],
    ["a link of the user's", "Source: https://mine.example/x", { given: "see http://www.mine.example/x/" }],
    [
      "a link in the arguments",
      "Source: https://mine.example/x",
      { runs: [run({ args: '{"url":"https:\\/\\/mine.example\\/x"}' })] },
    ],
    ["a link, where a result was cut", "Source: https://mine.example/x", { runs: [run({ truncated: true })] }],
    [
      "anything, where nothing ran",
      "There are no results. Source: https://mine.example/x. I found 5 hotels.",
      { runs: [] },
    ],
  ] as const)("[RE10] %s", (_what, text, changes) => {
    expect(kindsOf(text, changes)).toEqual([]);
  });

  test("[RE10] the same, said where it is false", () => {
    expect(kindsOf("I used the send email tool.")).toEqual(["fabricated_tool"]);
    expect(kindsOf("There are 121 results.", { runs: [run({ shown: '{"results":[1,2],"total":120}' })] })).toEqual([
      "count_mismatch",
    ]);
    expect(kindsOf("Nothing was found.")).toEqual(["false_absence"]);
    expect(kindsOf("Source: https://mine.example/x")).toEqual(["unknown_source"]);
    expect(kindsOf("I called send_email.", { runs: [run({ tool: "send_email", disposition: "denied" })] })).toEqual([
      "fabricated_tool",
    ]);
  });
});
