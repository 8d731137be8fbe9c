/** Calls and results that stand alone. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryEntry } from "../../../src/contracts/message.ts";
import { type Orphan, sweepOrphans } from "../../../src/core/history/orphan-sweep.ts";
import { anyHistory, note, result, round, says, user } from "./history-samples.ts";

interface Case {
  readonly given: readonly HistoryEntry[];
  readonly kept: readonly HistoryEntry[];
  readonly orphans: readonly Orphan[];
}
const lone = (callId: string): Orphan => ({ reason: "result_without_call", callIds: [callId] });

describe("what goes", () => {
  test.each<[string, Case]>([
    [
      "a result without a call",
      { given: [user("a"), result("c1"), says("b")], kept: [user("a"), says("b")], orphans: [lone("c1")] },
    ],
    [
      "a result whose id is only quoted in text",
      {
        given: [user("a"), says("I called c1 (w_c1)"), result("c1")],
        kept: [user("a"), says("I called c1 (w_c1)")],
        orphans: [lone("c1")],
      },
    ],
    [
      "a result of an assistant message that is not the nearest",
      {
        given: [user("a"), ...round("c1"), ...round("c2"), result("c1")],
        kept: [user("a"), ...round("c1"), ...round("c2")],
        orphans: [lone("c1")],
      },
    ],
    [
      "a second result of one call",
      {
        given: [user("a"), ...round("c1"), result("c1", "again")],
        kept: [user("a"), ...round("c1")],
        orphans: [lone("c1")],
      },
    ],
    [
      "calls behind unresolved calls, with their results",
      {
        given: [user("a"), says("", "c1"), says("", "c2", "c3"), result("c2"), result("c1"), result("c3")],
        kept: [user("a"), says("", "c1"), result("c1")],
        orphans: [{ reason: "calls_after_unresolved_calls", callIds: ["c2", "c3"] }],
      },
    ],
    [
      "calls behind a round that is half resolved",
      {
        given: [user("a"), says("", "c1", "c2"), result("c1"), says("", "c3"), result("c2"), result("c3")],
        kept: [user("a"), says("", "c1", "c2"), result("c1"), result("c2")],
        orphans: [{ reason: "calls_after_unresolved_calls", callIds: ["c3"] }],
      },
    ],
    [
      "a round that a bounded read cut off at its front",
      {
        given: [result("c1"), result("c2"), says("b"), user("a")],
        kept: [says("b"), user("a")],
        orphans: [lone("c1"), lone("c2")],
      },
    ],
    [
      "a round that never got one of its results",
      {
        given: [user("a"), says("b", "c1", "c2"), result("c1"), note("n"), ...round("c3")],
        kept: [user("a"), note("n"), ...round("c3")],
        orphans: [{ reason: "call_without_result", callIds: ["c1", "c2"] }],
      },
    ],
  ])("[LC21] %s", (_, { given, kept, orphans }) => {
    expect(sweepOrphans(given)).toEqual({ history: kept, orphans });
  });
});

describe("what stays", () => {
  test("[LC21] complete rounds, one behind another, notes and text between them", () => {
    const history = [user("a"), ...round("c1", "c2"), ...round("c3"), note("n"), says("b"), user("c"), ...round("c4")];
    const swept = sweepOrphans(history);
    expect(swept.history).toBe(history);
    expect(swept.orphans).toEqual([]);
  });

  test("[LC21] any history that storage can hold", () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        expect(sweepOrphans(history).history).toBe(history);
      }),
      { numRuns: 1000 },
    );
  });

  test("[LC21] what was swept once: sweeping again finds nothing", () => {
    const ids = ["c0", "c1", "c2", "c3", "c4", "c5"];
    const entry = fc.oneof(
      fc.constantFrom(...ids).map((id) => (): HistoryEntry => result(id)),
      fc.integer({ min: 0, max: 2 }).map((count) => (fresh: string[]) => says("x", ...fresh.splice(0, count))),
      fc.constant((): HistoryEntry => user("u")),
    );
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 14 }), (entries) => {
        const fresh = [...ids];
        const history = entries.map((make) => make(fresh));
        expect(sweepOrphans(sweepOrphans(history).history).orphans).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });
});
