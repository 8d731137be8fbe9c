/** Rounds that bring the same again and again. */
import { describe, expect, test } from "vitest";
import { createIdenticalOutput, type IdenticalOutput } from "../../../../src/core/turn/guards/identical-output.ts";
import type { EndedCall } from "../../../../src/core/turn/guards/loop-record.ts";

const succeeded = (outputDigest: string, tool = "t"): EndedCall => ({
  tool,
  argsDigest: "a",
  outputDigest,
  disposition: "succeeded",
  success: true,
});
const failed: EndedCall = { ...succeeded("x"), disposition: "failed", success: false };

const guardAfter = (loopDetectionMinElapsedSecs: number | null, ...loopIgnoreTools: string[]): IdenticalOutput =>
  createIdenticalOutput({ loopDetectionMinElapsedSecs, loopIgnoreTools });
const ends = (guard: IdenticalOutput, rounds: readonly (readonly EndedCall[])[], runningMs = 0): boolean[] =>
  rounds.map((round) => guard.endsWith(round, runningMs));
const same = [succeeded("x"), succeeded("y")];

describe("identical rounds", () => {
  test("[LC19] the fourth ends the turn", () => {
    expect(ends(guardAfter(0), [same, same, same, same])).toEqual([false, false, false, true]);
  });

  test("[LC18] unset, and with failures only, nothing ends", () => {
    expect(ends(guardAfter(null), [same, same, same, same])).not.toContain(true);
    expect(ends(guardAfter(0), [[failed], [failed], [failed], [failed], []])).not.toContain(true);
  });

  test("[LC19] another round starts the count anew", () => {
    const other = [succeeded("z")];
    expect(ends(guardAfter(0), [same, same, same, other, same, same, same, same])).toEqual([
      ...Array.from({ length: 7 }, () => false),
      true,
    ]);
  });

  test("[LC18] order and number of outputs count, tools and arguments do not", () => {
    const swapped = [succeeded("y"), succeeded("x")];
    expect(ends(guardAfter(0), [same, swapped, same, swapped, same])).not.toContain(true);
    expect(ends(guardAfter(0), [same, same, same, [succeeded("xy")]])).not.toContain(true);
    const elsewhere = [succeeded("x", "u"), succeeded("y", "v")];
    expect(ends(guardAfter(0), [same, elsewhere, same, elsewhere]).at(-1)).toBe(true);
  });

  test("[LC18] a round without counted output neither counts nor resets", () => {
    expect(ends(guardAfter(0), [same, [failed], same, [], same, same]).at(-1)).toBe(true);
  });

  test("[LC18] ignored tools and failures beside the rest are left out of the hash", () => {
    const rounds = ["1", "2", "3", "4"].map((output) => [...same, succeeded(output, "poll"), failed]);
    expect(ends(guardAfter(0, "poll"), rounds).at(-1)).toBe(true);
    expect(ends(guardAfter(0), rounds)).not.toContain(true);
  });

  test("[LC18] it begins to look once enough running time has passed", () => {
    const guard = guardAfter(2);
    expect(ends(guard, [same, same, same, same], 1999)).not.toContain(true);
    expect(ends(guard, [same, same, same, same], 2000)).toEqual([false, false, false, true]);
  });

  test("[RX8] the count comes back from plain JSON", () => {
    const guard = guardAfter(0);
    ends(guard, [same, same, same]);
    const state = JSON.parse(JSON.stringify(guard.state()));
    const again = createIdenticalOutput({ loopDetectionMinElapsedSecs: 0, loopIgnoreTools: [] }, state);
    expect(ends(again, [same])).toEqual([true]);
  });
});
