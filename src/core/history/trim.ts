/** Trimming: the oldest whole history turns go until what is left fits; a turn is never split, the newest never dropped. Rules: LC22–LC25. */
import type { HistoryEntry, NoteEntry } from "../../contracts/message.ts";
import { estimateEntry } from "./estimate-size.ts";

export interface TrimmedHistory {
  readonly history: readonly HistoryEntry[];
  /** Entries that went, an earlier breadcrumb not counted; 0: nothing changed and nothing is announced. */
  readonly droppedMessages: number;
  readonly keptTurns: number;
}

export interface ContextBudget {
  /** Tokens; 0 is off. */
  readonly tokens: number;
  /** Tokens that system text and specs take of it. */
  readonly overhead: number;
}

/** The same words each time, so that a provider's prompt cache holds until more has to go. */
const BREADCRUMB = "[Earlier parts of this conversation were left out here to save space.]";

/** `turn`: whose trimming it is, for the breadcrumb. */
export function trimToBudget(
  history: readonly HistoryEntry[],
  turn: string,
  { tokens, overhead }: ContextBudget,
): TrimmedHistory {
  const limit = tokens === 0 ? Infinity : tokens - overhead;
  return dropOldestTurns(history, breadcrumb(turn), { limit, weigh: estimateEntry });
}

/** `most` entries besides system text and breadcrumb; 0 is off. */
export function trimToMessages(history: readonly HistoryEntry[], turn: string, most: number): TrimmedHistory {
  const limit = most === 0 ? Infinity : most;
  return dropOldestTurns(history, breadcrumb(turn), { limit, weigh: (entry) => (isBreadcrumb(entry) ? 0 : 1) });
}

/** The budget in estimated tokens, once a provider has counted a request as more: scaled by what its estimate was worth. */
export const scaleBudget = (budget: number, estimated: number, reported: number): number =>
  Math.max(1, Math.floor((budget * estimated) / reported));

/** After a provider refused a request of this estimate as too long. */
export const overflowBudget = (estimated: number): number => Math.max(1, Math.floor((estimated * 2) / 3));

interface TurnLimit {
  readonly limit: number;
  readonly weigh: (entry: HistoryEntry) => number;
}

const breadcrumb = (turn: string): NoteEntry => ({ kind: "note", turn, text: BREADCRUMB });
const isBreadcrumb = (entry: HistoryEntry | undefined): boolean => entry?.kind === "note" && entry.text === BREADCRUMB;

function dropOldestTurns(
  history: readonly HistoryEntry[],
  crumb: NoteEntry,
  { limit, weigh }: TurnLimit,
): TrimmedHistory {
  const weightOf = (entries: readonly HistoryEntry[]): number =>
    entries.reduce((total, entry) => total + weigh(entry), 0);
  const turns = splitTurns(isBreadcrumb(history[0]) ? history.slice(1) : history);
  const weights = turns.map(weightOf);
  let size = weightOf(history);
  let dropped = 0;
  if (size > limit) {
    size = weightOf([crumb, ...turns.flat()]);
    for (; dropped < turns.length - 1 && size > limit; dropped += 1) size -= weights[dropped] ?? 0;
  }
  const kept = turns.slice(dropped);
  return {
    history: dropped === 0 ? history : [crumb, ...kept.flat()],
    droppedMessages: turns.slice(0, dropped).flat().length,
    keptTurns: kept.filter(([first]) => first?.kind === "user").length,
  };
}

/** A turn starts at a user message. What a bounded read left of an older one stands before the first, and goes first. */
function splitTurns(history: readonly HistoryEntry[]): readonly (readonly HistoryEntry[])[] {
  const starts = history.flatMap(({ kind }, index) => (kind === "user" ? [index] : []));
  const bounds = starts[0] === 0 ? starts : [0, ...starts];
  return bounds.map((start, place) => history.slice(start, bounds[place + 1])).filter((turn) => turn.length > 0);
}
