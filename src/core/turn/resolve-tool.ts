/** Tool resolution in a turn: the registry's word, less what this turn hides. Rules: TS8, TS16, CP7, CP8, DI13, FG5. */
import type { ToolResolution } from "../../contracts/tool.ts";
import type { ToolLoop } from "./turn-context.ts";

/** `searchedBefore`: an earlier call of the batch is `tool_search`, so a stub may be active by the time its call starts (CP8). */
export function resolveTool(loop: ToolLoop, name: string, searchedBefore = false): ToolResolution {
  const { registry } = loop.execution;
  const resolution = registry.resolve(name, { searchedBefore });
  if (resolution.kind === "unknown") {
    return { ...resolution, suggestions: resolution.suggestions.filter((suggested) => !loop.hidden.has(suggested)) };
  }
  if (resolution.kind === "granted" && loop.hidden.has(resolution.tool.definition.name))
    return { kind: "not_available" };
  return resolution;
}
