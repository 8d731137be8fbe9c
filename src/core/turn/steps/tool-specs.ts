/** Step 1, tool specs: what the model is offered in this iteration, in registry order, and how it is told. Rules: TS1, TS20–TS23, TP74, SC6, SC9. */
import type { Tool, ToolSpec } from "../../../contracts/tool.ts";
import { cutCodePoints } from "../../../policy/cut-text.ts";
import { makeInert } from "../../../policy/inert.ts";
import { providerNames } from "../provider-names.ts";
import type { ToolLoop } from "../turn-context.ts";

const MOST_TOOLS = 128;
const DESCRIPTION_CHARS = 1024;

/** `native`: as the provider's own tools; `text`: in the system prompt, called in text; `none`: there is nothing to call. */
export interface OfferedTools {
  readonly mode: "native" | "text" | "none";
  readonly specs: readonly ToolSpec[];
}

const nothing: OfferedTools = { mode: "none", specs: [] };

/** Judged before each call, for the model in use. Specs share their schemas with the tools by reference (TC15). */
export function offerTools(loop: ToolLoop): OfferedTools {
  const { model, registry, knobs } = loop.execution;
  const tools = registry.visible.filter(({ definition }) => !loop.hidden.has(definition.name)).slice(0, MOST_TOOLS);
  if (tools.length === 0) return nothing;
  const native = model.provider.capabilities(model.model).nativeTools;
  if (!native && knobs.strictToolParsing) return nothing;
  return { mode: native ? "native" : "text", specs: toSpecs(tools) };
}

function toSpecs(tools: readonly Tool[]): readonly ToolSpec[] {
  const names = providerNames(tools.map((tool) => tool.definition.name));
  return tools.map((tool) => ({
    name: names.get(tool.definition.name) ?? tool.definition.name,
    tool: tool.definition.name,
    description: describe(tool),
    parameters: tool.definition.inputSchema,
  }));
}

/** Inert, cut at a word; a blank description becomes the name, since providers refuse an empty one. */
function describe({ definition }: Tool): string {
  const text = makeInert(definition.description).trim();
  if (text === "") return definition.name;
  const cut = cutCodePoints(text, DESCRIPTION_CHARS);
  if (cut === text) return text;
  const lastSpace = cut.lastIndexOf(" ");
  return lastSpace > 0 ? cut.slice(0, lastSpace) : cut;
}
