/** defineTool: how an author makes a tool; a mistake in it is a fault on the value, for the config check to report. Rules: TC1, CF6. */
import { type DefinedTool, createTool } from "./create-tool.ts";
import type { ToolDeclaration, ToolInput } from "./tool-declaration.ts";

/**
 * Always returns a value, also for a wrong declaration: a config module that throws while it loads could tell nobody
 * what is wrong, while `faults` are reported together, each with its path. A tool with faults never runs.
 */
export function defineTool<const Input extends ToolInput>(declaration: ToolDeclaration<Input>): DefinedTool {
  return createTool(declaration, "code");
}
