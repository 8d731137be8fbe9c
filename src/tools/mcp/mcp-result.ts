/** toToolResult: what a call of an MCP tool came to, in the words of a tool; no address and no header is in them. Rules: EX8, EX10, MC13, MC15–MC18, SE31. */
import type { McpAnswer, McpFault } from "../../contracts/mcp.ts";
import type { Result } from "../../contracts/result.ts";
import type { ToolResult } from "../../contracts/tool.ts";

export function toToolResult(server: string, answered: Result<McpAnswer, McpFault>): ToolResult {
  if (!answered.ok) return { success: false, ...describeFault(server, answered.failure) };
  const { text, structured, isError } = answered.value;
  const data = structured === undefined ? {} : { data: structured };
  return isError
    ? { success: false, error: `the tool of the MCP server "${server}" says that it failed`, output: text, ...data }
    : { success: true, output: text, ...data };
}

function describeFault(server: string, fault: McpFault): { readonly error: string; readonly outcomeUnknown?: true } {
  const at = `the MCP server "${server}"`;
  switch (fault.kind) {
    case "lost":
      return { error: `${at} did not answer`, outcomeUnknown: true };
    case "egress":
      return { error: `${at} was not asked: egress blocked: ${fault.class}` };
    case "secret":
      return { error: `${at} was not asked: the secret ${fault.name} of its headers is not bound` };
    case "connect":
      return { error: `${at} could not be reached, so it was not asked` };
    case "session":
      return { error: `${at} ended its session twice, so the call was not taken` };
    case "unauthorized":
      return { error: `${at} refused the credentials (HTTP ${fault.status})` };
    case "http":
      return { error: `${at} answered HTTP ${fault.status}` };
    case "protocol":
      return { error: `${at} answered with error ${fault.code}: ${fault.message}` };
    case "malformed":
      return { error: `${at} sent an answer that cannot be read` };
    case "size":
      return { error: `${at} sent an answer that is too large` };
    default:
      return fault satisfies never;
  }
}
