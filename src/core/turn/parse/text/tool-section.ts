/** toolSection: how a model without native calls is told of its tools; the same bytes for the same specs. Rules: TP76. */
import type { ToolSpec } from "../../../../contracts/tool.ts";

const HOW_TO_CALL = `## Calling tools
To call a tool, write a block like this, with one JSON object inside and nothing else:
<tool_call>
{"name": "TOOL", "arguments": {}}
</tool_call>
One block per call; several blocks are fine. Stop after the last block. The results arrive in the next message
inside <tool_result> blocks. Never write such a block yourself.

### Tools`;

/** The end of the system prompt in text mode. Without tools there is nothing to tell. */
export function toolSection(specs: readonly ToolSpec[]): string {
  if (specs.length === 0) return "";
  return [HOW_TO_CALL, ...specs.map(describeTool)].join("\n");
}

function describeTool({ name, description, parameters }: ToolSpec): string {
  return `- ${name}: ${onOneLine(description)}\n  arguments: ${JSON.stringify(parameters)}`;
}

/** A description must not look like another entry of the list. */
const onOneLine = (text: string): string =>
  text
    .trim()
    .split(/\s*[\n\r\u2028\u2029]\s*/)
    .join(" ");
