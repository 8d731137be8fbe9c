/** Storage suite, frames: a delegate's rows are its own, its end is one, and one that may not go on is closed with those below it. */
import { expect, test } from "vitest";
import type { TurnJournal } from "../../src/contracts/turn-journal.ts";
import { findCall, readCallState } from "../../src/storage/call-store.ts";
import { lastEventSeq } from "../../src/storage/event-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { breakAt } from "./storage-crash-suite.ts";
import {
  assistant,
  begin,
  type Fixture,
  makeCall,
  openFixture,
  propose,
  seal,
  type WithDatabase,
} from "./storage-fixture.ts";

const pinned = { version: 1 };
const asked = { kind: "user", turn: "t", parts: [{ type: "text", text: "go" }] } as const;
const outcome = { kind: "failed", text: "" };
const [toBen, toCy, below, beside] = [0, 1, 2, 3].map((index) => makeCall("t", index)) as [Call, Call, Call, Call];
type Call = ReturnType<typeof makeCall>;

interface OpenFrames {
  readonly root: TurnJournal;
  readonly ben: TurnJournal;
  readonly cy: TurnJournal;
}

/** `ada` waits for `ben`, `ben` for `cy`, `cy` has a call that is not prepared; `ada` has another call beside. */
function openTwoLevels(fixture: Fixture): OpenFrames {
  fixture.accept("t");
  fixture.start("t");
  const root = fixture.journal("t");
  root.openFrame({ agent: "ada", depth: 0, pinned }, []);
  propose(root, "t", { step: 1, calls: [toBen, beside] });
  begin(root, toBen);
  const ben = root.delegateFrame(toBen.callId);
  ben.openFrame({ agent: "ben", depth: 1, parentAgent: "ada", parentCalls: [toBen.callId], pinned }, [asked]);
  propose(ben, "t", { step: 1, calls: [toCy] });
  begin(ben, toCy);
  const cy = ben.delegateFrame(toCy.callId);
  const parentCalls = [toBen.callId, toCy.callId];
  cy.openFrame({ agent: "cy", depth: 2, parentAgent: "ben", parentCalls, pinned }, [asked]);
  propose(cy, "t", { step: 1, calls: [below] });
  return { root, ben, cy };
}

const statesOf = (sql: SqlPort): readonly unknown[] =>
  [toBen, beside, toCy, below].map(({ callId }) => readCallState(sql, callId));

export function describeFrames(withDatabase: WithDatabase): void {
  test("[RX13][DG6] each frame has history of its own, and the turn's has none of theirs", () =>
    withDatabase(({ sql }) => {
      const { root, ben, cy } = openTwoLevels(openFixture(sql));
      expect(root.history().map(({ kind }) => kind)).toEqual(["user"]);
      for (const journal of [ben, cy]) expect(journal.history()).toEqual([asked]);
      expect(root.openFrames().map(({ record }) => record.agent)).toEqual(["cy", "ben", "ada"]);
    }));

  test("[RX7][EV2][HI2] a frame that may not go on is closed with those below it; its caller's calls stay as they were", () =>
    withDatabase(({ sql }) => {
      const { root, ben, cy } = openTwoLevels(openFixture(sql));
      ben.closeFrame(outcome, seal);
      expect(statesOf(sql)).toEqual(["started", "proposed", "settled", "settled"]);
      expect(findCall(sql, toCy.callId)?.outcome?.disposition).toBe("outcome_unknown");
      expect(findCall(sql, below.callId)?.outcome?.disposition).toBe("interrupted");
      for (const journal of [ben, cy]) {
        expect(journal.readFrame()?.outcome).toEqual(outcome);
        expect(journal.history().map(({ kind }) => kind)).toEqual(["user", "assistant", "tool"]);
      }
      expect(root.openFrames().map(({ record }) => record.agent)).toEqual(["ada"]);
    }));

  test("[RX7][HC3] broken at any statement it is closed whole or not at all", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { ben } = openTwoLevels(fixture);
      const before = lastEventSeq(sql);
      const broken: unknown[] = [];
      for (let at = 1; at < 1000; at += 1) {
        const { port } = breakAt(sql, at, () => undefined);
        const closing = fixture.journal("t", port).delegateFrame(toBen.callId);
        try {
          closing.closeFrame(outcome, seal);
          break;
        } catch {
          broken.push([ben.readFrame()?.outcome, statesOf(sql).at(-1), lastEventSeq(sql)]);
        }
      }
      expect(broken.length).toBeGreaterThan(10);
      for (const left of broken) expect(left).toEqual([undefined, "proposed", before]);
      expect(statesOf(sql)).toEqual(["started", "proposed", "settled", "settled"]);
    }));

  test("[EX14][CK16] a frame ends once, and not with an open round", () =>
    withDatabase(({ sql }) => {
      const { ben, cy } = openTwoLevels(openFixture(sql));
      expect(() => cy.endFrame(outcome, { entries: [], events: [] })).toThrow("still waits for its round");
      ben.closeFrame(outcome, seal);
      expect(() => cy.endFrame(outcome, { entries: [assistant("t", "late")], events: [] })).toThrow("has ended before");
      expect(cy.history().at(-1)?.kind).toBe("tool");
    }));

  test("[CK2][CK3] with the turn's end nothing is left to go on from, and every call of every frame has its end", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const { ben } = openTwoLevels(fixture);
      expect(fixture.seal("t")).toBe(true);
      expect(ben.readFrame()).toBeUndefined();
      expect(statesOf(sql)).toEqual(["settled", "settled", "settled", "settled"]);
      expect(sql.all("SELECT count(*) AS n FROM frames")).toEqual([{ n: 0 }]);
    }));
}
