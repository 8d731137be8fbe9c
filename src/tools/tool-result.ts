/** ok, fail, partial: how a tool says how it went. Rules: TC7. */
import type { JsonValue } from "../contracts/json.ts";
import type { ToolResult } from "../contracts/tool.ts";

/** A success; `output` is what the model reads, `data` is kept beside it. */
export function ok(output: string, data?: JsonValue): ToolResult {
  return data === undefined ? { success: true, output } : { success: true, output, data };
}

/** A failure without anything to show. */
export function fail(error: string): ToolResult {
  return { success: false, error };
}

/** A failure that still has a body worth reading, such as the text of an error page. */
export function partial(error: string, output: string): ToolResult {
  return { success: false, error, output };
}
