/** What goes when a history is too long, and what never does. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { HistoryEntry } from "../../../src/contracts/message.ts";
import { estimateEntry, estimateHistory, estimateText } from "../../../src/core/history/estimate-size.ts";
import { overflowBudget, scaleBudget, trimToBudget, trimToMessages } from "../../../src/core/history/trim.ts";
import { anyHistory, note, result, round, says, user } from "./history-samples.ts";

const kinds = (history: readonly HistoryEntry[]): string => history.map(({ kind }) => kind[0]).join("");
/** An answered turn of six entries: u a t t n a. */
const turn = (n: number): HistoryEntry[] => [
  user(`question ${n}`),
  ...round(`c${n}a`, `c${n}b`),
  note("careful"),
  says(`answer ${n}`),
];
const turns = (count: number): HistoryEntry[] => Array.from({ length: count }, (_, n) => turn(n)).flat();
const unlimited = { tokens: 0, overhead: 0 };

describe("the estimate", () => {
  test.each<[HistoryEntry, number]>([
    [user("12345678"), 2 + 4],
    [user("123456789"), 3 + 4],
    [user(""), 4],
    [note("éé😀"), 2 + 4],
    [result("c1", "x".repeat(400)), 100 + 4],
    [says("12345678"), 2 + 4],
    [says("", "c1"), 6 + 4],
  ])("[LC22] of %j is %d", (entry, tokens) => {
    expect(estimateEntry(entry)).toBe(tokens);
  });

  test("[LC22] of an assistant counts reasoning too; of a history is the sum of its messages", () => {
    expect(estimateEntry({ ...says("12345678"), reasoning: "1234" })).toBe(3 + 4);
    expect(estimateHistory([user("12345678"), note("")])).toBe(6 + 4);
    expect(estimateText("abcde")).toBe(2 + 4);
  });

  test("[LC22] a picture does not count by the length of its base64", () => {
    const picture = (data: string): HistoryEntry => ({
      kind: "user",
      turn: "t1",
      parts: [{ type: "image", mediaType: "image/png", data }],
    });
    expect(estimateEntry(picture("A".repeat(1_000_000)))).toBe(estimateEntry(picture("A")));
    expect(estimateEntry(picture("A"))).toBeGreaterThan(1000);
  });
});

describe("a budget of tokens", () => {
  test("[LC23] 0 drops nothing, and neither does a history that fits", () => {
    const history = turns(3);
    for (const budget of [unlimited, { tokens: estimateHistory(history), overhead: 0 }]) {
      expect(trimToBudget(history, "t9", budget)).toEqual({ history, droppedMessages: 0, keptTurns: 3 });
    }
  });

  test("[LC23] one token less, and the oldest turn goes whole", () => {
    const history = turns(3);
    const trimmed = trimToBudget(history, "t9", { tokens: estimateHistory(history) - 1, overhead: 0 });
    expect(kinds(trimmed.history)).toBe("nuattnauattna");
    expect(trimmed.history.slice(1)).toEqual([...turn(1), ...turn(2)]);
    expect(trimmed).toMatchObject({ droppedMessages: 6, keptTurns: 2 });
  });

  test("[LC23] what system text and specs take is not there for history", () => {
    const history = turns(3);
    const tokens = estimateHistory(history) + 100;
    expect(trimToBudget(history, "t9", { tokens, overhead: 100 }).droppedMessages).toBe(0);
    expect(trimToBudget(history, "t9", { tokens, overhead: 101 }).droppedMessages).toBe(6);
  });

  test("[LC23] below the newest turn only that is kept, whole", () => {
    const trimmed = trimToBudget(turns(3), "t9", { tokens: 1, overhead: 0 });
    expect(trimmed.history.slice(1)).toEqual(turn(2));
    expect(trimmed.keptTurns).toBe(1);
  });

  test("[LC23] a single turn is never touched", () => {
    const history = turn(0);
    expect(trimToBudget(history, "t9", { tokens: 1, overhead: 0 })).toEqual({
      history,
      droppedMessages: 0,
      keptTurns: 1,
    });
  });

  test("[LC22] steering starts a history turn, notes and results do not", () => {
    const history = [user("a"), ...round("c1"), note("n"), user("steering"), ...round("c2")];
    expect(trimToBudget(history, "t9", { tokens: 1, overhead: 0 }).history.slice(1)).toEqual([
      user("steering"),
      ...round("c2"),
    ]);
  });

  test("[LC23] what a bounded read left of an older turn goes first, and is no turn", () => {
    const history = [...round("c0"), says("end of an older turn"), ...turn(1)];
    const trimmed = trimToBudget(history, "t9", { tokens: estimateHistory(history) - 1, overhead: 0 });
    expect(trimmed.history.slice(1)).toEqual(turn(1));
    expect(trimmed).toMatchObject({ droppedMessages: 3, keptTurns: 1 });
  });
});

describe("a number of messages", () => {
  test("[LC24] 60 with the cap at 50: two whole turns of six go", () => {
    const trimmed = trimToMessages(turns(10), "t9", 50);
    expect(trimmed).toMatchObject({ droppedMessages: 12, keptTurns: 8 });
    expect(trimmed.history).toHaveLength(1 + 48);
  });

  test("[LC24] 50 with the cap at 50, and 0, drop nothing", () => {
    const history = [...turns(8), user("a"), says("b")];
    expect(trimToMessages(history, "t9", 50).history).toBe(history);
    expect(trimToMessages(turns(20), "t9", 0).droppedMessages).toBe(0);
  });
});

describe("the breadcrumb", () => {
  test("[LC24] is one note at the front, in the turn that trimmed, however often it trims", () => {
    const first = trimToMessages(turns(10), "t9", 50);
    const again = trimToMessages(first.history, "t9", 40);
    expect(kinds(again.history).startsWith("nu")).toBe(true);
    expect(again.history[0]).toMatchObject({ kind: "note", turn: "t9" });
    expect(again.history[0]).toEqual(first.history[0]);
    expect(again).toMatchObject({ droppedMessages: 12, keptTurns: 6 });
  });

  test("[LC24] does not count as a message, nor as dropped", () => {
    const first = trimToMessages(turns(10), "t9", 48);
    expect(trimToMessages(first.history, "t9", 48).droppedMessages).toBe(0);
  });
});

describe("budgets from elsewhere", () => {
  test("[LC24] twice the budget reported: the budget counts half", () => {
    expect(scaleBudget(32_000, 40_000, 64_000)).toBe(20_000);
    expect(scaleBudget(32_000, 10_000, 32_001)).toBe(9_999);
  });

  test("[LC24] a scaled budget is never 0, which would be none", () => {
    expect(scaleBudget(32_000, 0, 64_000)).toBe(1);
  });

  test("[LC25] after an overflow two thirds of the estimate are left, so that something goes", () => {
    expect(overflowBudget(900)).toBe(600);
    const six = turns(6);
    const trimmed = trimToBudget(six, "t9", { tokens: overflowBudget(estimateHistory(six)), overhead: 0 });
    expect(trimmed.keptTurns).toBe(3);
    expect(trimToBudget(turn(0), "t9", { tokens: overflowBudget(1), overhead: 0 }).droppedMessages).toBe(0);
  });
});

describe("for any history", () => {
  test("[LC23] what is kept is the end of it, from a user message on, and fits or is one turn", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 300 }), (history, tokens) => {
        const { history: kept, droppedMessages, keptTurns } = trimToBudget(history, "t9", { tokens, overhead: 0 });
        const rest = droppedMessages === 0 ? kept : kept.slice(1);
        expect(rest).toEqual(history.slice(droppedMessages));
        expect(rest[0]?.kind).toBe("user");
        expect(keptTurns).toBe(rest.filter(({ kind }) => kind === "user").length);
        expect(keptTurns === 1 || estimateHistory(kept) <= tokens).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  test("[LC23] no more goes than has to", () => {
    fc.assert(
      fc.property(anyHistory, fc.integer({ min: 1, max: 30 }), (history, most) => {
        const { droppedMessages } = trimToMessages(history, "t9", most);
        const starts = history.flatMap(({ kind }, index) => (kind === "user" ? [index] : []));
        const before = starts.filter((start) => start < droppedMessages).at(-1);
        expect(before === undefined || history.length - before > most).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
