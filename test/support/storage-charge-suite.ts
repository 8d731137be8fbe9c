/** Storage suite, charges: a model call that costs is on record before it is sent, and ends once, whatever happens to its turn. */
import { expect, test } from "vitest";
import { dropCharge, listClosedCharges, listOpenCharges } from "../../src/storage/charge-store.ts";
import { recoverTurn } from "../../src/storage/transactions/recover-turn.ts";
import { TurnSuperseded } from "../../src/storage/transactions/turn-hold.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { finish, type Fixture, openFixture, seal, type WithDatabase } from "./storage-fixture.ts";

const charge = (reservation: string) => ({ reservation, agent: "ada", estimateUsd: 0.5 });
const running = (fixture: Fixture) => {
  fixture.accept("t");
  fixture.start("t");
  const journal = fixture.journal("t");
  journal.openStep({ step: 1, attempt: 1 });
  return journal;
};
export function describeCharges(withDatabase: WithDatabase): void {
  test("[G17][HC13] a recovered turn's open calls count in full, once; what is told of them later is too late", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql, false);
      const journal = running(fixture);
      journal.openCharge(charge("r"));
      expect(listOpenCharges(sql)).toEqual(["r"]);
      const turn = findTurn(sql, "t")?.turn;
      if (turn === undefined) throw new Error("no turn");
      expect(recoverTurn({ ...fixture.context, turn }, seal)).toEqual({ attempt: 2 });
      expect(listOpenCharges(sql)).toEqual([]);
      expect(listClosedCharges(sql, 9)).toEqual([{ ...charge("r"), end: "unknown" }]);
      journal.closeCharge("r", "unsent");
      expect(listClosedCharges(sql, 9)).toEqual([{ ...charge("r"), end: "unknown" }]);
      expect(() => journal.openCharge(charge("of the old instance"))).toThrow(TurnSuperseded);
      expect(listOpenCharges(sql)).toEqual([]);
    }));

  test("[G17] the first end stands, and a cost that is none counts in full", () =>
    withDatabase(({ sql }) => {
      const journal = running(openFixture(sql, false));
      for (const id of ["a", "b", "c"]) journal.openCharge(charge(id));
      journal.closeCharge("a", { costUsd: 0.25 });
      journal.closeCharge("a", "unsent");
      journal.closeCharge("b", { costUsd: Number.NaN });
      journal.closeCharge("c", "unsent");
      expect(listClosedCharges(sql, 9).map(({ end }) => end)).toEqual([{ costUsd: 0.25 }, "unknown", "unsent"]);
      dropCharge(sql, "a");
      expect(listClosedCharges(sql, 9).map(({ reservation }) => reservation)).toEqual(["b", "c"]);
    }));

  test("[G17] no turn ends with an open one", () =>
    withDatabase(({ sql }) => {
      const journal = running(openFixture(sql));
      journal.openCharge(charge("r"));
      finish(journal, "t");
      expect(listOpenCharges(sql)).toEqual([]);
    }));
}
