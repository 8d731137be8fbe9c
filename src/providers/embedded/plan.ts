/** Plans the calls that a message asks for: which tools, with which arguments, in which order, in how many stages. */
import type { JsonObject } from "../../contracts/json.ts";
import type { ToolSpec } from "../../contracts/tool.ts";
import { type Clause, endOfJson, foldText, hideQuoted, splitClauses } from "./clauses.ts";
import { extractArguments, hasWord } from "./extract-arguments.ts";
import type { Skill } from "./skills.ts";

export interface PlannedCall {
  /** Provider name, always of an offered tool. */
  readonly name: string;
  readonly argumentsText: string;
}

interface PlacedCall extends PlannedCall {
  readonly index: number;
}

interface Planning {
  readonly tools: readonly ToolSpec[];
  readonly skills: ReadonlyMap<string, Skill>;
}

const ORDER =
  /\b(?:use|call|run|invoke|usa|utiliza|llama(?: a)?|ejecuta|invoca)\s+(?:the |la |el )?(?:tool |function |herramienta |funcion )?[`"']?([a-z][\w.-]*\w)/g;

/** UTF-16 units. A message is an order, not a document: what comes later is not read, so that planning takes bounded time. */
const MOST_READ = 8192;

/** One list of calls per stage, in text order; no call twice. */
export function planCalls(message: string, planning: Planning): readonly (readonly PlannedCall[])[] {
  const stages: PlannedCall[][] = [];
  const planned = new Set<string>();
  for (const clause of splitClauses(message.slice(0, MOST_READ))) {
    for (const { name, argumentsText } of planClause(clause, planning)) {
      const key = `${name} ${argumentsText}`;
      if (planned.has(key)) continue;
      planned.add(key);
      (stages[clause.stage] ??= []).push({ name, argumentsText });
    }
  }
  return stages.filter((stage) => stage !== undefined);
}

function planClause({ text }: Clause, planning: Planning): readonly PlannedCall[] {
  const orders = readOrders(text, planning);
  const ordered = new Set(orders.map(({ name }) => name));
  const implied = planning.tools
    .filter(({ name }) => !ordered.has(name))
    .flatMap((spec) => planImplied(text, spec, planning.skills.get(spec.tool)));
  return [...orders, ...implied].toSorted((one, other) => one.index - other.index);
}

/** "use X …", "call X with {…}": X by either of its names, or by its part behind the server's prefix. */
function readOrders(text: string, { tools, skills }: Planning): readonly PlacedCall[] {
  const matches = [...foldText(text).matchAll(ORDER)];
  return matches.flatMap(({ 0: words, 1: asked = "", index }, place) => {
    const from = index + words.length;
    const rest = text.slice(from, matches[place + 1]?.index).replace(/^[`"']/, "");
    const spec = tools.find((tool) => isNamed(tool, asked));
    if (spec !== undefined) return planOrder({ spec, rest, index, clause: text }, skills.get(spec.tool));
    const search = tools.find(({ tool }) => tool === "tool_search");
    // Tools that are not offered yet may be found; their names do not look like ordinary words.
    if (search === undefined || !/[_.-]/.test(asked)) return [];
    const query = text.slice(from - asked.length, from);
    return [placed(search, { query }, index)];
  });
}

const isNamed = ({ name, tool }: ToolSpec, asked: string): boolean =>
  [name, tool].some((own) => own.toLowerCase() === asked || own.toLowerCase().endsWith(`__${asked}`));

interface Order {
  readonly spec: ToolSpec;
  readonly rest: string;
  readonly index: number;
  readonly clause: string;
}

/** JSON in the message goes through as written, right or wrong: the runtime judges it, not the planner. */
function planOrder({ spec, rest, index, clause }: Order, skill: Skill | undefined): readonly PlacedCall[] {
  const brace = rest.indexOf("{");
  const end = brace < 0 ? undefined : endOfJson(rest, brace);
  if (end !== undefined) return [{ name: spec.name, argumentsText: rest.slice(brace, end), index }];
  const uses = skill?.(rest.trim() === "" ? clause : rest, true) ?? [];
  if (uses.length > 0) return uses.map((use) => placed(spec, use.args, index + use.index));
  return [placed(spec, extractArguments(rest, rest, spec.parameters).args, index)];
}

/** A tool nobody ordered: by its skill, or because the clause has every word of its name and all that it requires. */
function planImplied(text: string, spec: ToolSpec, skill: Skill | undefined): readonly PlacedCall[] {
  if (skill !== undefined) return skill(text, false).map(({ args, index }) => placed(spec, args, index));
  const readable = hideQuoted(text);
  const words = wordsOf(spec.tool);
  if (words.length === 0 || !words.every((word) => hasWord(readable, word) || hasWord(readable, `${word}s`))) return [];
  const index = Math.min(...words.map((word) => placeOf(readable, word)));
  const last = Math.max(...words.map((word) => placeOf(readable, word) + word.length));
  const { args, missing } = extractArguments(text, text.slice(last), spec.parameters);
  return missing.length > 0 ? [] : [placed(spec, args, index)];
}

/** `files__readText` → `files`, `read`, `text`. */
const wordsOf = (tool: string): readonly string[] =>
  foldText(tool.replaceAll(/([a-z\d])([A-Z])/g, "$1 $2"))
    .split(/[^a-z\d]+/)
    .filter((word) => word.length > 1);

const placeOf = (text: string, word: string): number => Math.max(0, foldText(text).indexOf(word));

const placed = ({ name }: ToolSpec, args: JsonObject, index: number): PlacedCall => ({
  name,
  argumentsText: JSON.stringify(args),
  index,
});
