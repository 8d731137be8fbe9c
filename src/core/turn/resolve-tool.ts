/** Tool resolution in a turn: the registry's word, less what this turn hides, more what was activated. Rules: TS8, TS16, CP7, CP8, DI13, RG11, FG5, DM11, DM12, SC9. */
import type { Tool } from "../../contracts/tool.ts";
import { TOOL_SEARCH } from "../../policy/builtin-tool.ts";
import { readActivatedSet } from "./activated-tool-set.ts";
import * as sentences from "./runtime-sentences.ts";
import { isLeftOut, offeredTools } from "./steps/tool-specs.ts";
import { lastPart, suggestNames } from "./suggest-names.ts";
import type { ToolLoop } from "./turn-context.ts";

/** What a name means here and now. Suggestions are visible names that are close. */
export type FoundTool =
  | { readonly kind: "granted"; readonly tool: Tool }
  /** `loadable`: a search would make it available. */
  | { readonly kind: "not_available"; readonly loadable: boolean }
  | { readonly kind: "unknown"; readonly suggestions: readonly string[] };

const gone: FoundTool = { kind: "not_available", loadable: false };

/** `searchedBefore`: an earlier call of the batch is `tool_search`, so a stub may be active by the time its call starts (CP8). */
export function resolveTool(loop: ToolLoop, name: string, searchedBefore = false): FoundTool {
  return resolveExactly(loop, name, searchedBefore) ?? resolveBareName(loop, name) ?? unknown(loop, name);
}

/** `undefined`: nothing has that name. */
function resolveExactly(loop: ToolLoop, name: string, searchedBefore: boolean): FoundTool | undefined {
  const resolution = loop.execution.registry.resolve(name);
  if (resolution.kind === "granted" && !loop.hidden.has(name)) {
    return isLeftOut(loop, resolution.tool) ? gone : { kind: "granted", tool: resolution.tool };
  }
  if (resolution.kind === "stub" && !loop.hidden.has(name)) return resolveStub(loop, resolution.tool, searchedBefore);
  if (resolution.kind !== "unknown") return gone;
  // The tool of an entry was withdrawn: the model knows the name from before (DM11).
  return readActivatedSet(loop).names.includes(name) ? gone : undefined;
}

function resolveStub(loop: ToolLoop, tool: Tool, searchedBefore: boolean): FoundTool {
  const { names, room } = readActivatedSet(loop);
  if (searchedBefore || names.includes(tool.definition.name)) return { kind: "granted", tool };
  return { kind: "not_available", loadable: room > 0 && canSearch(loop) };
}

const canSearch = ({ execution, hidden }: ToolLoop): boolean =>
  execution.registry.resolve(TOOL_SEARCH).kind === "granted" && !hidden.has(TOOL_SEARCH);

/** The part behind a server's name leads to the one activated tool that has it; to none if it could be two (TS16). */
function resolveBareName(loop: ToolLoop, name: string): FoundTool | undefined {
  if (name.includes("__")) return undefined;
  const meant = readActivatedSet(loop).names.filter((activated) => lastPart(activated) === name);
  const found = meant.flatMap((activated) => resolveExactly(loop, activated, false) ?? []);
  const [usable, ...more] = found.filter(({ kind }) => kind === "granted");
  if (more.length > 0 || found.length === 0) return undefined;
  return usable === undefined || loop.execution.registry.excludes(name) ? gone : usable;
}

function unknown(loop: ToolLoop, name: string): FoundTool {
  const offered = offeredTools(loop).map(({ definition }) => definition.name);
  return { kind: "unknown", suggestions: suggestNames(name, offered) };
}

/** What the model is told of a name that may not be used; one that is unknown by now was withdrawn. */
export const unavailable = (name: string, found: FoundTool): string =>
  found.kind === "not_available" && found.loadable ? sentences.notLoaded(name) : sentences.notAvailable(name);
