/** Orphan sweep: takes out of history whatever would leave a provider with a call or a result that stands alone. Rules: LC21, HI1. */
import type { AssistantEntry, HistoryEntry, ToolEntry } from "../../contracts/message.ts";

export type OrphanReason = "calls_after_unresolved_calls" | "result_without_call" | "call_without_result";

/** One removal, for the log: ids alone. */
export interface Orphan {
  readonly reason: OrphanReason;
  readonly callIds: readonly string[];
}

export interface SweptHistory {
  readonly history: readonly HistoryEntry[];
  readonly orphans: readonly Orphan[];
}

/** Complete rounds pass unchanged, and so does a history without calls: the same array comes back. */
export function sweepOrphans(history: readonly HistoryEntry[]): SweptHistory {
  const orphans: Orphan[] = [];
  const nested = withoutNestedRounds(history, orphans);
  const paired = withoutStrayResults(nested, orphans);
  const swept = withoutUnresolvedRounds(paired, orphans);
  return { history: orphans.length === 0 ? history : swept, orphans };
}

const idsOf = ({ calls }: AssistantEntry): readonly string[] => calls.map(({ callId }) => callId);

/** A message with calls that comes while the one before it waits for results goes, and its results with it. */
function withoutNestedRounds(history: readonly HistoryEntry[], orphans: Orphan[]): readonly HistoryEntry[] {
  const kept: HistoryEntry[] = [];
  const open = new Set<string>();
  const removed = new Set<string>();
  for (const entry of history) {
    if (entry.kind === "tool") {
      open.delete(entry.callId);
      if (!removed.has(entry.callId)) kept.push(entry);
      continue;
    }
    if (entry.kind === "assistant" && entry.calls.length > 0) {
      if (open.size > 0) {
        const callIds = idsOf(entry);
        orphans.push({ reason: "calls_after_unresolved_calls", callIds });
        for (const callId of callIds) removed.add(callId);
        continue;
      }
      for (const callId of idsOf(entry)) open.add(callId);
    } else {
      // Only direct neighbours are nested; what was left open further back is judged at the end.
      open.clear();
    }
    kept.push(entry);
  }
  return kept;
}

/** A result belongs to the nearest assistant message before it, and each call takes one. */
function withoutStrayResults(history: readonly HistoryEntry[], orphans: Orphan[]): readonly HistoryEntry[] {
  let waiting = new Set<string>();
  return history.filter((entry) => {
    if (entry.kind === "assistant") waiting = new Set(idsOf(entry));
    if (entry.kind !== "tool" || waiting.delete(entry.callId)) return true;
    orphans.push({ reason: "result_without_call", callIds: [entry.callId] });
    return false;
  });
}

/** A round is appended whole (HI2), so one with a result missing was never right: it goes rather than fail every request. */
function withoutUnresolvedRounds(history: readonly HistoryEntry[], orphans: Orphan[]): readonly HistoryEntry[] {
  const answered = new Set(history.filter(isResult).map(({ callId }) => callId));
  const removed = new Set<string>();
  return history.filter((entry) => {
    if (entry.kind === "tool") return !removed.has(entry.callId);
    if (entry.kind !== "assistant" || idsOf(entry).every((callId) => answered.has(callId))) return true;
    orphans.push({ reason: "call_without_result", callIds: idsOf(entry) });
    for (const callId of idsOf(entry)) removed.add(callId);
    return false;
  });
}

const isResult = (entry: HistoryEntry): entry is ToolEntry => entry.kind === "tool";
