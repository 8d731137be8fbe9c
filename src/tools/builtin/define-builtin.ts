/** defineBuiltin: a tool of our own, with the flags that all of them share unless they say otherwise. Rules: TC4. */
import { type DefinedTool, createTool } from "../create-tool.ts";
import type { ToolDeclaration, ToolInput } from "../tool-declaration.ts";

export function defineBuiltin<const Input extends ToolInput>(declaration: ToolDeclaration<Input>): DefinedTool {
  return createTool({ risk: "low", readOnly: true, ...declaration, provenance: "native" }, "builtin");
}
