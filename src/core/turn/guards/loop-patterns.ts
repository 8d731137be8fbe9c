/** The patterns of a loop, in the order in which they are judged. Rules: LC12. */
import type { LoopCall } from "../../../contracts/call.ts";

export interface LoopRecord extends LoopCall {
  /** Absent for a refused call: it equals no other output (LC11). */
  readonly outputDigest?: string;
}

export type LoopLevel = "warn" | "block" | "break";
export type LoopPatternName = "exact_repeat" | "ping_pong" | "no_progress";

/** What a pattern finds behind the newest record. */
export interface LoopMatch {
  /** Repeats, cycles or calls. */
  readonly count: number;
  readonly records: readonly LoopRecord[];
}

export interface LoopPattern {
  readonly name: LoopPatternName;
  readonly find: (window: readonly LoopRecord[], newest: LoopRecord) => LoopMatch;
  /** Count from which a warning is given; one more blocks, two more break. */
  readonly warnAt: (maxRepeats: number) => number;
  readonly breaks: boolean;
}

const PING_PONG_CYCLES = 4;
const NO_PROGRESS_CALLS = 5;

const sameCall = (one: LoopCall, other: LoopCall): boolean =>
  one.tool === other.tool && one.argsDigest === other.argsDigest;

export const loopPatterns: readonly LoopPattern[] = [
  { name: "exact_repeat", find: findRepeats, warnAt: (maxRepeats) => maxRepeats, breaks: true },
  { name: "ping_pong", find: findPingPong, warnAt: () => PING_PONG_CYCLES, breaks: true },
  { name: "no_progress", find: findNoProgress, warnAt: () => NO_PROGRESS_CALLS, breaks: false },
];

/** The unbroken row at the end, whatever came out of it. */
function findRepeats(window: readonly LoopRecord[], newest: LoopRecord): LoopMatch {
  const rowStart = window.findLastIndex((record) => !sameCall(record, newest)) + 1;
  const records = window.slice(rowStart);
  return { count: records.length, records };
}

/** Two tools in strict turns at the end, whatever they were asked. */
function findPingPong(window: readonly LoopRecord[], newest: LoopRecord): LoopMatch {
  const before = window.at(-2);
  if (before === undefined || before.tool === newest.tool) return { count: 0, records: [] };
  const last = window.length - 1;
  const turnOf = (index: number): string => ((last - index) % 2 === 0 ? newest.tool : before.tool);
  const rowStart = window.findLastIndex(({ tool }, index) => tool !== turnOf(index)) + 1;
  const records = window.slice(rowStart);
  return { count: Math.floor(records.length / 2), records };
}

/** Anywhere in the window: one tool that answers the newest call's answer, however it is asked. */
function findNoProgress(window: readonly LoopRecord[], newest: LoopRecord): LoopMatch {
  const { tool, outputDigest } = newest;
  if (outputDigest === undefined) return { count: 0, records: [] };
  const records = window.filter((record) => record.tool === tool && record.outputDigest === outputDigest);
  const varied = records.some((record) => record.argsDigest !== newest.argsDigest);
  return varied ? { count: records.length, records } : { count: 0, records: [] };
}
