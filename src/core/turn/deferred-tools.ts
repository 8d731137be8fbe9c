/** Deferred tools at a turn's start: what is always shown is activated, what is left is listed once for the whole turn. Rules: TS10, TS11, DM2, DM3. */
import type { Tool } from "../../contracts/tool.ts";
import { TOOL_SEARCH } from "../../policy/builtin-tool.ts";
import { describeTool } from "../../policy/describe-tool.ts";
import { isAlwaysShown } from "../../policy/tool-filter-groups.ts";
import { readActivatedSet, toActivations, visibleStubs } from "./activated-tool-set.ts";
import { serverOf } from "./suggest-names.ts";
import type { ToolLoop, ToolLoopParts } from "./turn-context.ts";

const LINE_CHARS = 200;
const MOST_LINES = 200;

const ABOUT_STUBS = `## Tools not loaded yet
These tools exist but cannot be called before they are loaded. Load them with ${TOOL_SEARCH}: by name ("select:a__x,b__y") or by words. A loaded tool stays available in this conversation.`;

/** What the system text says of stubs; the same for the whole turn, whatever is loaded in it (TS11). */
export interface StubListing {
  readonly names: readonly string[];
  /** Empty without a stub. */
  readonly text: string;
}

/** Without anything to list there is nothing to search, and the turn does without `tool_search`. */
export function openDeferredTools(parts: ToolLoopParts): Pick<ToolLoop, "hidden" | "listing"> {
  const { hidden } = parts;
  if (parts.execution.registry.stubs.length === 0) return { hidden, listing: listStubs([]) };
  activateAlwaysShown(parts);
  const { names } = readActivatedSet(parts);
  const stubs = canSearch(parts)
    ? visibleStubs(parts).filter(({ definition }) => !names.includes(definition.name))
    : [];
  return { hidden: stubs.length > 0 ? hidden : new Set([...hidden, TOOL_SEARCH]), listing: listStubs(stubs) };
}

/** The listing of a turn that waited, less what was taken away meanwhile (RX7). */
export function restoreListing({ registry }: ToolLoop["execution"], names: readonly string[] = []): StubListing {
  const listed = new Set(names);
  return listStubs(registry.stubs.filter(({ definition }) => listed.has(definition.name)));
}

function activateAlwaysShown(parts: ToolLoopParts): void {
  const { registry, knobs } = parts.execution;
  const shown = registry.stubs.filter(({ definition }) => isAlwaysShown(knobs.toolFilterGroups, definition.name));
  const activations = toActivations(parts, shown);
  if (activations.length > 0) parts.journal.activate(activations);
}

/** A text-only model under strict parsing has no way to call anything. */
function canSearch({ execution: { model, knobs, registry } }: ToolLoopParts): boolean {
  const callable = model.provider.capabilities(model.model).nativeTools || !knobs.strictToolParsing;
  return callable && registry.resolve(TOOL_SEARCH).kind === "granted";
}

/** One line a tool; of very many, one line a server. */
function listStubs(stubs: readonly Tool[]): StubListing {
  const names = stubs.map(({ definition }) => definition.name);
  if (names.length === 0) return { names, text: "" };
  const lines = names.length > MOST_LINES ? serverLines(names) : stubs.map(toolLine);
  return { names, text: [ABOUT_STUBS, "<deferred_tools>", ...lines, "</deferred_tools>"].join("\n") };
}

function toolLine({ definition: { name, description } }: Tool): string {
  return `${name} - ${describeTool({ name, description: description.replace(/\s+/g, " ") }, LINE_CHARS)}`;
}

function serverLines(names: readonly string[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(serverOf(name), (counts.get(serverOf(name)) ?? 0) + 1);
  return Array.from(counts, ([server, count]) => `${server} - ${count} ${count === 1 ? "tool" : "tools"}`);
}
