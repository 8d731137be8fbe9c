/** Storage suite, activated tools: order, one entry a name, written with the result that named them. */
import { expect, test } from "vitest";
import type { Activation, TurnJournal } from "../../src/contracts/turn-journal.ts";
import { readCallState } from "../../src/storage/call-store.ts";
import { encodeUtf8 } from "../../src/storage/utf8.ts";
import { breakAt } from "./storage-crash-suite.ts";
import {
  begin,
  type Fixture,
  makeCall,
  makeOutcome,
  openFixture,
  propose,
  resultEvent,
  signNext,
  type WithDatabase,
} from "./storage-fixture.ts";

export const activationOf = (tool: string, agent = "ada"): Activation => ({
  agent,
  tool,
  definitionHash: `hash of ${tool}`,
});
const search = makeCall("t", 0);

/** A turn in which a search was started and has not ended. */
export function openSearch(fixture: Fixture): TurnJournal {
  fixture.accept("t");
  fixture.start("t");
  const journal = fixture.journal("t");
  propose(journal, "t", { step: 1, calls: [search] });
  begin(journal, search);
  return journal;
}

export function settleSearch(journal: TurnJournal, activated: readonly Activation[]): boolean {
  const outcome = makeOutcome("found", signNext(journal, "t", search.callId));
  const result = { bytes: encodeUtf8("found"), complete: true, chars: 5, digest: "raw" };
  return journal.settleCall({ call: search, outcome, result, activated, event: resultEvent("t", search, outcome) });
}

export function describeActivatedTools(withDatabase: WithDatabase): void {
  test("[TS15][DM8] entries keep order and place, each name once for an agent", () =>
    withDatabase(({ sql }) => {
      const journal = openSearch(openFixture(sql));
      journal.activate(["b__x", "a__x"].map((tool) => activationOf(tool)));
      journal.activate([
        activationOf("c__x", "bob"),
        activationOf("c__x"),
        activationOf("b__x"),
        activationOf("a\0__é"),
      ]);
      const again = openFixture(sql).journal("t");
      expect(again.activated("ada")).toEqual(["b__x", "a__x", "c__x", "a\0__é"].map((tool) => activationOf(tool)));
      expect(again.activated("bob")).toEqual([activationOf("c__x", "bob")]);
      expect(again.activated("eve")).toEqual([]);
    }));

  test("[DM7] broken at any statement, what a search activated is there exactly if its result is", () =>
    withDatabase(({ sql }) => {
      openSearch(openFixture(sql));
      const activated = ["b__x", "a__x"].map((tool) => activationOf(tool));
      const attempt = (at: number): boolean => {
        try {
          return settleSearch(openFixture(sql).journal("t", breakAt(sql, at, () => undefined).port), activated);
        } catch {
          return false;
        }
      };
      const state = () => [readCallState(sql, search.callId), openFixture(sql).journal("t").activated("ada")];
      let at = 1;
      for (; !attempt(at); at += 1) expect(state()).toEqual(["started", []]);
      expect(at).toBeGreaterThan(5);
      expect(state()).toEqual(["settled", activated]);
      expect(settleSearch(openFixture(sql).journal("t"), [activationOf("late__x")])).toBe(false);
      expect(state()).toEqual(["settled", activated]);
    }));
}
