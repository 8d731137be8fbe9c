/** Step 1, tool specs: what the model is offered in this iteration, in registry order, under provider names. Rules: TS1, TS20, TS21, TS23, SC6, SC9. */
import type { Tool, ToolSpec } from "../../../contracts/tool.ts";
import { makeInert } from "../../../policy/inert.ts";
import { providerNames } from "../provider-names.ts";
import type { ToolLoop } from "../turn-context.ts";

const MOST_TOOLS = 128;
const DESCRIPTION_CHARS = 1024;

/** Inert, cut at a word; a blank description becomes the name, since providers refuse an empty one. */
function describe({ definition }: Tool): string {
  const text = makeInert(definition.description).trim();
  if (text === "") return definition.name;
  const points = [...text];
  if (points.length <= DESCRIPTION_CHARS) return text;
  const cut = points.slice(0, DESCRIPTION_CHARS).join("");
  const lastSpace = cut.lastIndexOf(" ");
  return lastSpace > 0 ? cut.slice(0, lastSpace) : cut;
}

/** Specs share their schemas with the tools by reference: nothing is cloned per iteration (TC15). */
export function buildToolSpecs(loop: ToolLoop): readonly ToolSpec[] {
  const { model, registry } = loop.execution;
  if (!model.provider.capabilities(model.model).nativeTools) return [];
  const tools = registry.visible.slice(0, MOST_TOOLS);
  const names = providerNames(tools.map((tool) => tool.definition.name));
  return tools.map((tool) => ({
    name: names.get(tool.definition.name) ?? tool.definition.name,
    tool: tool.definition.name,
    description: describe(tool),
    parameters: tool.definition.inputSchema,
  }));
}
