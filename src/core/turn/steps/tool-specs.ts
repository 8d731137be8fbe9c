/** Step 1, tool specs: what the model is offered in this iteration, in registry order, then in that of activation. Rules: TS1, TS20–TS23, TP74, SC4, SC6, SC9, DM9. */
import type { Tool, ToolSpec } from "../../../contracts/tool.ts";
import { DESCRIPTION_CHARS, describeTool } from "../../../policy/describe-tool.ts";
import type { ModelBinding } from "../../execution/model-binding.ts";
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
  const { loaded, activated } = shownTools(loop);
  return [...loaded.slice(0, MOST_TOOLS - activated.length), ...activated];
}

function shownTools(loop: ToolLoop) {
  const shown = (tools: readonly Tool[]) => tools.filter(({ definition }) => !loop.hidden.has(definition.name));
  const activated = shown(readActivatedSet(loop).tools).slice(0, MOST_TOOLS);
  return { loaded: shown(loop.execution.registry.visible), activated };
}

/** True for a loaded tool that the requests of this frame have no room for (SC9). */
export function isLeftOut(loop: ToolLoop, tool: Tool): boolean {
  // Only very many can leave one out; a call of any other turn should not pay for it.
  if (loop.execution.registry.visible.length + loop.execution.maxActivatedTools <= MOST_TOOLS) return false;
  const { loaded, activated } = shownTools(loop);
  return loaded.indexOf(tool) >= MOST_TOOLS - activated.length;
}

/** Once for each frame. */
function reportLeftOut(loop: ToolLoop): void {
  const { loaded, activated } = shownTools(loop);
  const left = loaded.length - Math.min(loaded.length, MOST_TOOLS - activated.length);
  if (left === 0 || loop.iteration > 1) return;
  loop.execution.ports.log("warn", "tools_left_out", { turn: loop.identity.turn, left, most: MOST_TOOLS });
}

/** Judged before each call, for the model in use. Where nothing is to be cleaned, specs share their schemas with the tools (TC15). */
export function offerTools(loop: ToolLoop): OfferedTools {
  const { model, execution } = loop;
  const tools = offeredTools(loop);
  if (tools.length === 0) return nothing;
  reportLeftOut(loop);
  const native = model.provider.capabilities(model.model).nativeTools;
  if (!native && execution.knobs.strictToolParsing) return nothing;
  return { mode: native ? "native" : "text", specs: toSpecs(tools, model) };
}

function toSpecs(tools: readonly Tool[], { cleanSchema }: ModelBinding): readonly ToolSpec[] {
  const names = providerNames(tools.map((tool) => tool.definition.name));
  return tools.map((tool) => ({
    name: names.get(tool.definition.name) ?? tool.definition.name,
    tool: tool.definition.name,
    description: describeTool(tool.definition, DESCRIPTION_CHARS),
    parameters: cleanSchema(tool.definition.inputSchema),
  }));
}
