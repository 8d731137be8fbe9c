/** Whatever happened, and however it was trimmed: each provider's protocol takes the payload. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryEntry } from "../../../src/contracts/message.ts";
import type { ModelMessage } from "../../../src/contracts/model.ts";
import { toMessages } from "../../../src/core/history/build-provider-payload.ts";
import { sweepOrphans } from "../../../src/core/history/orphan-sweep.ts";
import { trimToBudget, trimToMessages } from "../../../src/core/history/trim.ts";
import { findAnthropicFaults } from "../../support/anthropic-shape.ts";
import { findGeminiFaults } from "../../support/gemini-shape.ts";
import { findPayloadFaults } from "../../support/openai-shape.ts";
import { toAnthropic, toGemini, toOpenAi } from "../../support/payload-shapes.ts";
import { anyHistory, note, result, round, says, user } from "./history-samples.ts";

const faultsOf = (messages: readonly ModelMessage[]): readonly string[] => [
  ...findPayloadFaults(toOpenAi(messages)),
  ...findAnthropicFaults(toAnthropic(messages)),
  ...findGeminiFaults(toGemini(messages)),
];

describe("the three shapes", () => {
  test("[HI1][HI8] any history that storage can hold passes all of them", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(faultsOf(toMessages(history))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("[HI1][LC23] and so does what is left of it after trimming", () => {
    fc.assert(
      fc.property(anyHistory, fc.nat(400), fc.nat(30), (history, tokens, most) => {
        const { history: fitting } = trimToBudget(history, "t1", { tokens, overhead: 0 });
        const { history: left } = trimToMessages(fitting, "t1", most);
        expect(faultsOf(toMessages(left))).toEqual([]);
      }),
      { numRuns: 1000 },
    );
  });

  test("[HI1][LC21] and so does any damaged history once it is swept", () => {
    const damage = fc.array(fc.nat(40), { maxLength: 6 });
    fc.assert(
      fc.property(anyHistory, damage, fc.nat(40), (history, gone, at) => {
        const damaged = history.filter((_, index) => index === 0 || !gone.includes(index));
        const stray: HistoryEntry = result("c0");
        const { history: swept } = sweepOrphans([...damaged.slice(0, at + 1), stray, ...damaged.slice(at + 1)]);
        const callIds = swept
          .flatMap((entry) => (entry.kind === "assistant" ? entry.calls : []))
          .map(({ callId }) => callId);
        const resultIds = swept.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
        expect(resultIds.toSorted()).toEqual(callIds.toSorted());
        expect(() => toMessages(swept)).not.toThrow();
      }),
      { numRuns: 1000 },
    );
  });

  test("[HI8] two user messages in a row are one; a note comes behind the results", () => {
    const messages = toMessages([user("a"), user("b"), ...round("c1", "c2"), note("careful")]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "user"]);
    expect(faultsOf(messages)).toEqual([]);
  });

  test("[HI7] an empty assistant message is left out", () => {
    expect(toMessages([user("a"), says("  "), user("b")]).map(({ role }) => role)).toEqual(["user"]);
  });
});

describe("the judges can say no", () => {
  const call = { wireId: "w1", name: "t", argumentsText: "{}" };
  const asks: ModelMessage = { role: "user", parts: [{ type: "text", text: "hi" }] };
  const calls: ModelMessage = { role: "assistant", text: "", calls: [call, { ...call, wireId: "w2", name: "u" }] };
  const answer = (wireId: string, name: string): ModelMessage => ({
    role: "tool",
    results: [{ wireId, name, text: "ok", success: true }],
  });
  test.each<[string, readonly ModelMessage[]]>([
    ["a result too few", [asks, calls, answer("w1", "t")]],
    ["results in the wrong order", [asks, calls, answer("w2", "u"), answer("w1", "t")]],
    ["a result that stands alone", [asks, answer("w1", "t")]],
    ["words before the results", [asks, calls, asks, answer("w1", "t"), answer("w2", "u")]],
    ["an empty assistant message", [asks, { role: "assistant", text: "", calls: [] }]],
  ])("[HI1] %s is refused by each", (_, messages) => {
    expect(findPayloadFaults(toOpenAi(messages))).not.toEqual([]);
    expect(findAnthropicFaults(toAnthropic(messages))).not.toEqual([]);
    expect(findGeminiFaults(toGemini(messages))).not.toEqual([]);
  });
});
