/** findStubs: which stubs a query means, by exact names or by the number of its words that they hold. Rules: TS12, TS13, DM5, DM6. */
import type { Tool } from "../contracts/tool.ts";
import { countWords, wordsOf } from "./count-words.ts";

const MOST_RESULTS = 50;
const SELECT = "select:";

export interface FoundStubs {
  readonly found: readonly Tool[];
  /** Names that were asked for and are none of the stubs, whatever the reason. */
  readonly missed: readonly string[];
}

/** `stubs` are those that may be found. Words give at most `most` of them, and never more than 50; names give all that are named. */
export function findStubs(stubs: readonly Tool[], query: string, most: number): FoundStubs {
  const asked = query.trim();
  if (asked.startsWith(SELECT)) return selectByName(stubs, asked.slice(SELECT.length));
  return { found: rankByWords(stubs, asked).slice(0, Math.min(most, MOST_RESULTS)), missed: [] };
}

function selectByName(stubs: readonly Tool[], list: string): FoundStubs {
  const names = new Set(
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  const byName = new Map(stubs.map((tool) => [tool.definition.name, tool]));
  const asked = Array.from(names, (name) => ({ name, tool: byName.get(name) }));
  return {
    found: asked.flatMap(({ tool }) => tool ?? []),
    missed: asked.flatMap(({ name, tool }) => (tool === undefined ? [name] : [])),
  };
}

/** Those that hold none are left out; ties stay in stub order. */
function rankByWords(stubs: readonly Tool[], query: string): readonly Tool[] {
  const words = wordsOf(query);
  return stubs
    .map((tool) => ({ tool, score: scoreOf(tool, words) }))
    .filter(({ score }) => score > 0)
    .toSorted((left, right) => right.score - left.score)
    .map(({ tool }) => tool);
}

const scoreOf = ({ definition: { name, description } }: Tool, words: readonly string[]): number =>
  countWords(words, `${name}\n${description}`);
