/** memory_recall: finds what this agent stored in this conversation by the words it holds. Rules: TC33. */
import { z } from "zod";
import type { MemoryEntry } from "../../contracts/tool.ts";
import { countWords, wordsOf } from "../count-words.ts";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

export const memoryRecall = defineBuiltin({
  name: "memory_recall",
  title: "Recall",
  description: "Finds texts that were stored with memory_store earlier in this conversation, by words that they hold.",
  input: z.object({
    query: z.string().describe("Words to look for"),
    limit: z.int().min(1).max(20).default(5).describe("Most entries to give"),
  }),
  execute({ query, limit }, { memory }) {
    if (query.trim() === "") return fail("the query is blank: give words to look for");
    const found = rankByWords(memory?.list() ?? [], query).slice(0, limit);
    return ok(
      found.length === 0 ? "Nothing that was stored holds any of these words." : found.map(toText).join("\n\n"),
    );
  },
});

/** Most words first, then newest first; `entries` come oldest first. Those that hold none are left out. */
function rankByWords(entries: readonly MemoryEntry[], query: string): readonly MemoryEntry[] {
  const words = wordsOf(query);
  return entries
    .toReversed()
    .map((entry) => ({ entry, found: countWords(words, searchedText(entry)) }))
    .filter(({ found }) => found > 0)
    .toSorted((left, right) => right.found - left.found)
    .map(({ entry }) => entry);
}

const searchedText = ({ key = "", category = "", content }: MemoryEntry): string => `${key}\n${category}\n${content}`;

function toText({ key, category, content }: MemoryEntry): string {
  const head = [key, category === undefined ? undefined : `(${category})`].filter((part) => part !== undefined);
  return head.length === 0 ? `- ${content}` : `- ${head.join(" ")}: ${content}`;
}
