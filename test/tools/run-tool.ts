/** Runs a tool as the runtime does: its own schema first, then `execute` with what the schema made of the arguments. */
import type { JsonObject } from "../../src/contracts/json.ts";
import type { Tool, ToolContext } from "../../src/contracts/tool.ts";
import { createTestContext } from "./tool-context.ts";

/** @throws {Error} with the faults when the arguments are off schema. */
export async function runTool(tool: Tool, args: JsonObject, context: Partial<ToolContext> = {}): Promise<unknown> {
  const checked = tool.checkArguments(args);
  if (!checked.ok) throw new Error(JSON.stringify(checked.failure));
  return tool.execute(checked.value, createTestContext(context));
}
