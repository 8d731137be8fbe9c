/** Built-ins that have a part in the loop: their names, and whether a tool is ours or a namesake. Rules: DI1, CP8, DM4, BD9. */
import type { Tool } from "../contracts/tool.ts";

export const TOOL_SEARCH = "tool_search";
export const READ_RESULT = "read_result";

export const isBuiltin = ({ origin, definition }: Tool, name: string): boolean =>
  origin === "builtin" && definition.name === name;
