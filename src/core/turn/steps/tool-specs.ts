/** Step 1, tool specs: what the model is offered in this iteration, in registry order, then in that of activation. Rules: TS1, TS20–TS23, TP74, SC6, SC9, DM9. */
import type { Tool, ToolSpec } from "../../../contracts/tool.ts";
import { DESCRIPTION_CHARS, describeTool } from "../../../policy/describe-tool.ts";
import { readActivatedSet } from "../activated-tool-set.ts";
import { providerNames } from "../provider-names.ts";
import type { ToolLoop } from "../turn-context.ts";

const MOST_TOOLS = 128;

/** `native`: as the provider's own tools; `text`: in the system prompt, called in text; `none`: there is nothing to call. */
export interface OfferedTools {
  readonly mode: "native" | "text" | "none";
  readonly specs: readonly ToolSpec[];
}

const nothing: OfferedTools = { mode: "none", specs: [] };

/** Visible tools; what was activated stands behind all others, and is the last to be left out. */
export function offeredTools(loop: ToolLoop): readonly Tool[] {
  const shown = (tools: readonly Tool[]) => tools.filter(({ definition }) => !loop.hidden.has(definition.name));
  const activated = shown(readActivatedSet(loop).tools).slice(0, MOST_TOOLS);
  return [...shown(loop.execution.registry.visible).slice(0, MOST_TOOLS - activated.length), ...activated];
}

/** Judged before each call, for the model in use. Specs share their schemas with the tools by reference (TC15). */
export function offerTools(loop: ToolLoop): OfferedTools {
  const { model, execution } = loop;
  const tools = offeredTools(loop);
  if (tools.length === 0) return nothing;
  const native = model.provider.capabilities(model.model).nativeTools;
  if (!native && execution.knobs.strictToolParsing) return nothing;
  return { mode: native ? "native" : "text", specs: toSpecs(tools) };
}

function toSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const names = providerNames(tools.map((tool) => tool.definition.name));
  return tools.map((tool) => ({
    name: names.get(tool.definition.name) ?? tool.definition.name,
    tool: tool.definition.name,
    description: describeTool(tool.definition, DESCRIPTION_CHARS),
    parameters: tool.definition.inputSchema,
  }));
}
