/** What guards tell the model. */
import { expect, test } from "vitest";
import { blockedByLoop, loopNote, repeatedPrompt } from "../../../../src/core/turn/guards/guard-sentences.ts";
import type { LoopPatternName } from "../../../../src/core/turn/guards/loop-patterns.ts";

const patterns: readonly LoopPatternName[] = ["exact_repeat", "ping_pong", "no_progress"];

test.each(patterns)("[LC14] the note of %s names the tool and the count", (pattern) => {
  for (const level of ["warn", "block"] as const) {
    const note = loopNote({ level, pattern, tool: "web_search", count: 17 });
    expect(note).toContain('"web_search"');
    expect(note).toContain("17");
  }
});

test("[LC15] a block says that the calls are refused, a warning does not", () => {
  const verdict = { pattern: "exact_repeat", tool: "t", count: 4 } as const;
  expect(loopNote({ ...verdict, level: "block" })).toContain("refused");
  expect(loopNote({ ...verdict, level: "warn" })).not.toContain("refused");
});

test("[BD2] a name of any length leaves a sentence under 512 code points, and no half character", () => {
  const tool = "😀".repeat(5000);
  const notes = patterns.map((pattern) => loopNote({ level: "block", pattern, tool, count: 12 }));
  for (const sentence of [blockedByLoop(tool), repeatedPrompt(tool), ...notes]) {
    expect([...sentence].length).toBeLessThan(512);
    expect(sentence.isWellFormed()).toBe(true);
  }
});

test("[CP13][CP16] a refusal says that an identical call would be refused again", () => {
  expect(blockedByLoop("t")).toContain("An identical call would be refused again");
  expect(repeatedPrompt("t")).toContain("an identical call would be refused again");
});
