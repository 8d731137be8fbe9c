/** LoopDetector: warns of a loop, then blocks its calls, then ends the frame. Rules: LC10–LC15, CP13. */
import type { RuntimeProfile } from "../../../contracts/agent-profile.ts";
import {
  type LoopLevel,
  type LoopMatch,
  type LoopPattern,
  type LoopPatternName,
  type LoopRecord,
  loopPatterns,
} from "./loop-patterns.ts";
import type { LoopCall } from "../../../contracts/call.ts";
import { countsForLoops, type EndedCall } from "./loop-record.ts";

export interface LoopVerdict {
  readonly level: LoopLevel;
  readonly pattern: LoopPatternName;
  readonly tool: string;
  /** Repeats, cycles or calls, as the pattern counts. */
  readonly count: number;
}

export interface LoopDetectorState {
  /** Oldest first. */
  readonly window: readonly LoopRecord[];
  readonly blocks: readonly LoopCall[];
}

export interface LoopDetector {
  /** For each call of the round in slot order, whatever became of it; uncounted ones get no verdict. */
  record(call: EndedCall): LoopVerdict | undefined;
  /** In slot order too: a call that `isBlocked` kept from running. */
  recordRefused(call: LoopCall): LoopVerdict | undefined;
  isBlocked(tool: string, argsDigest: string): boolean;
  state(): LoopDetectorState;
}

export type LoopSettings = Pick<
  RuntimeProfile["pacing"],
  "loopDetectionEnabled" | "loopDetectionWindowSize" | "loopDetectionMaxRepeats" | "loopIgnoreTools"
>;

const NOTHING_RECORDED: LoopDetectorState = { window: [], blocks: [] };

/** One per frame. */
export function createLoopDetector(
  settings: LoopSettings,
  { window: earlier, blocks: standing }: LoopDetectorState = NOTHING_RECORDED,
): LoopDetector {
  const window = [...earlier];
  const blocks = new Map(standing.map((call) => [blockKey(call), call]));
  const judge = (record: LoopRecord): LoopVerdict | undefined => {
    window.push(record);
    if (window.length > settings.loopDetectionWindowSize) window.shift();
    const found = findLoop(window, record, settings.loopDetectionMaxRepeats);
    if (found?.verdict.level === "block") {
      for (const { tool, argsDigest } of found.match.records) {
        blocks.set(blockKey({ tool, argsDigest }), { tool, argsDigest });
      }
    }
    return found?.verdict;
  };
  return {
    record(call) {
      if (!settings.loopDetectionEnabled || !countsForLoops(call, settings.loopIgnoreTools)) return undefined;
      const { tool, argsDigest, outputDigest, disposition } = call;
      const verdict = judge({ tool, argsDigest, outputDigest });
      // A replaced call did not run, so it shows no change of course.
      if (verdict === undefined && disposition !== "replaced") blocks.clear();
      return verdict;
    },
    recordRefused({ tool, argsDigest }) {
      return settings.loopDetectionEnabled ? judge({ tool, argsDigest }) : undefined;
    },
    isBlocked: (tool, argsDigest) => settings.loopDetectionEnabled && blocks.has(blockKey({ tool, argsDigest })),
    state: () => ({ window: [...window], blocks: [...blocks.values()] }),
  };
}

const blockKey = ({ tool, argsDigest }: LoopCall): string => `${argsDigest}\n${tool}`;

interface FoundLoop {
  readonly verdict: LoopVerdict;
  readonly match: LoopMatch;
}

/** The first pattern that matches gives the verdict. */
function findLoop(window: readonly LoopRecord[], newest: LoopRecord, maxRepeats: number): FoundLoop | undefined {
  for (const pattern of loopPatterns) {
    const match = pattern.find(window, newest);
    const level = levelOf(pattern, match.count - pattern.warnAt(maxRepeats));
    if (level !== undefined) {
      return { match, verdict: { level, pattern: pattern.name, tool: newest.tool, count: match.count } };
    }
  }
  return undefined;
}

function levelOf({ breaks }: LoopPattern, beyondWarning: number): LoopLevel | undefined {
  if (beyondWarning < 0) return undefined;
  if (beyondWarning === 0) return "warn";
  return breaks && beyondWarning >= 2 ? "break" : "block";
}
