/** functionLines: found tools as the model reads them, one line of JSON each, whatever their authors wrote. Rules: TS14, DM6, SE62. */
import type { JsonSchema } from "../contracts/json.ts";
import type { SearchableTools, Tool } from "../contracts/tool.ts";
import { DESCRIPTION_CHARS, describeTool } from "../policy/describe-tool.ts";
import { makeInert } from "../policy/inert.ts";

const JSON_TEXT = /"(?:[^"\\]|\\.)*"/g;

export const functionLines = (tools: readonly Tool[], schemaOf: SearchableTools["schemaOf"]): string =>
  ["<functions>", ...tools.map((tool) => functionLine(tool, schemaOf(tool))), "</functions>"].join("\n");

function functionLine({ definition }: Tool, parameters: JsonSchema): string {
  const { name } = definition;
  const shown = { name, description: describeTool(definition, DESCRIPTION_CHARS), parameters };
  return `<function>${toInertJson(shown)}</function>`;
}

/**
 * Result text is made inert as a whole later, which would break an escape inside JSON; so each text in it is inert already, and
 * without a `<` none can end the line's own tags or open a mark that goes over several texts.
 */
function toInertJson(value: unknown): string {
  return JSON.stringify(value)
    .replace(JSON_TEXT, (text) => JSON.stringify(makeInert(JSON.parse(text))))
    .replaceAll("<", String.raw`\u003c`);
}
