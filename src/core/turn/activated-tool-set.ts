/** ActivatedToolSet: the deferred tools that an agent has loaded in this conversation; the rows are the set. Rules: TS1, TS13–TS15, DM8, DM10. */
import type { CallOutcome } from "../../contracts/call.ts";
import type { Activation } from "../../contracts/turn-journal.ts";
import type { SearchableTools, Tool, ToolRegistry } from "../../contracts/tool.ts";
import { readActivated } from "./delivered.ts";
import type { ToolLoop } from "./turn-context.ts";

export interface ActivatedToolSet {
  /** Real names, oldest first, also of entries that are inert because their tool is not granted any more. */
  readonly names: readonly string[];
  /** What of it is granted, in the same order. */
  readonly tools: readonly Tool[];
  /** How many more entries it takes. */
  readonly room: number;
}

type OfLoop = Pick<ToolLoop, "execution" | "journal">;

/** Read anew wherever it is asked for, so that no copy can differ from what an eviction leaves. */
export function readActivatedSet({ execution, journal }: OfLoop): ActivatedToolSet {
  const names = journal.activated(execution.agent.alias).map(({ tool }) => tool);
  const room = Math.max(0, execution.maxActivatedTools - names.length);
  return { names, tools: stubsNamed(execution.registry, names), room };
}

const stubsNamed = (registry: ToolRegistry, names: readonly string[]): readonly Tool[] =>
  names.flatMap((name) => {
    const resolution = registry.resolve(name);
    return resolution.kind === "stub" ? [resolution.tool] : [];
  });

/** For `tool_search`: policy is in the registry, visibility is the turn's. */
export function searchableTools(loop: ToolLoop): SearchableTools {
  const { names, room } = readActivatedSet(loop);
  const schemaOf = ({ definition }: Tool) => loop.model.cleanSchema(definition.inputSchema);
  return { stubs: visibleStubs(loop), active: new Set(names), room, schemaOf };
}

export const visibleStubs = ({ execution, hidden }: Pick<ToolLoop, "execution" | "hidden">): readonly Tool[] =>
  execution.registry.stubs.filter(({ definition }) => !hidden.has(definition.name));

/** What a call of `tool_search` brings into the set, to be stored with its result; of any other call, nothing. */
export function activationsOf(loop: ToolLoop, tool: Tool, outcome: CallOutcome): readonly Activation[] {
  const found = stubsNamed(loop.execution.registry, readActivated(tool, outcome));
  return found.length === 0 ? [] : toActivations(loop, found);
}

/** Entries for those of the stubs that are in the set not yet, as far as it takes them. */
export function toActivations(loop: OfLoop, stubs: readonly Tool[]): readonly Activation[] {
  const { names, room } = readActivatedSet(loop);
  return stubs
    .filter(({ definition }) => !names.includes(definition.name))
    .filter(({ definition }) => loop.execution.registry.resolve(definition.name).kind === "stub")
    .slice(0, room)
    .map(({ definition, definitionHash }) => ({
      agent: loop.execution.agent.alias,
      tool: definition.name,
      definitionHash,
    }));
}
