/** memory_store and memory_recall over a memory in plain sight: what is kept, what a query finds, in which order. */
import { describe, expect, test } from "vitest";
import type { MemoryEntry, ToolMemory } from "../../../src/contracts/tool.ts";
import { memoryRecall } from "../../../src/tools/builtin/memory-recall.ts";
import { memoryStore } from "../../../src/tools/builtin/memory-store.ts";
import { runTool } from "../run-tool.ts";

function createMemory(...contents: readonly (string | MemoryEntry)[]): ToolMemory & { readonly kept: MemoryEntry[] } {
  const kept = contents.map((entry): MemoryEntry => (typeof entry === "string" ? { content: entry } : entry));
  return {
    kept,
    list: () => kept,
    store: (entry) => {
      kept.push(entry);
      return { replaced: false };
    },
  };
}

describe("memory_store", () => {
  test("[TC33] keeps content, key and category as they were given", async () => {
    const memory = createMemory();
    await runTool(memoryStore, { content: "tea, not coffee", key: "drink", category: "taste" }, { memory });
    await runTool(memoryStore, { content: "plain" }, { memory });
    expect(memory.kept).toEqual([
      { content: "tea, not coffee", key: "drink", category: "taste" },
      { content: "plain" },
    ]);
  });

  test.each([
    ["a blank text", "  ", false],
    ["8 KiB", "é".repeat(4096), true],
    ["one byte more", `${"é".repeat(4096)}a`, false],
  ])("[TC33] %s", async (_what, content, success) => {
    const memory = createMemory();
    expect(await runTool(memoryStore, { content }, { memory })).toMatchObject({ success });
    expect(memory.kept).toHaveLength(success ? 1 : 0);
  });
});

describe("memory_recall", () => {
  const recall = async (memory: ToolMemory, args: { readonly query: string; readonly limit?: number }) => {
    const { output } = (await runTool(memoryRecall, args, { memory })) as { readonly output: string };
    return output.split("\n\n");
  };

  test("[TC33] most words first, ASCII case aside, then newest first; what holds none is left out", async () => {
    const memory = createMemory("red apple", "RED", "green apple", "blue sky", "a red one");
    expect(await recall(memory, { query: "Red Apple" })).toEqual([
      "- red apple",
      "- a red one",
      "- green apple",
      "- RED",
    ]);
  });

  test("[TC33] key and category are found and shown", async () => {
    const memory = createMemory({ content: "tea", key: "drink" }, { content: "jazz", key: "music", category: "taste" });
    expect(await recall(memory, { query: "taste drink" })).toEqual(["- music (taste): jazz", "- drink: tea"]);
  });

  test("[TC33] five entries unless it says otherwise, and never more than twenty", async () => {
    const memory = createMemory(...Array.from({ length: 30 }, (_, n) => `note ${n}`));
    expect(await recall(memory, { query: "note" })).toHaveLength(5);
    expect(await recall(memory, { query: "note", limit: 20 })).toHaveLength(20);
    expect(memoryRecall.checkArguments({ query: "note", limit: 21 }).ok).toBe(false);
  });

  test("[TC33] nothing found is a success that says so; a blank query is a failure", async () => {
    expect(await runTool(memoryRecall, { query: "x" }, { memory: createMemory("y") })).toMatchObject({
      success: true,
      output: expect.stringContaining("Nothing"),
    });
    expect(await runTool(memoryRecall, { query: " " }, { memory: createMemory("y") })).toMatchObject({
      success: false,
    });
  });
});
