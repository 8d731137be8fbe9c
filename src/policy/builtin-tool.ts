/** Built-ins that have a part in the loop: their names, and whether a tool is ours or a namesake. Rules: DI1, CP8, DM4, BD9, EX13, TC33, LC29. */
import type { Tool } from "../contracts/tool.ts";

export const TOOL_SEARCH = "tool_search";
export const READ_RESULT = "read_result";
export const TODO_WRITE = "todo_write";
export const MEMORY_STORE = "memory_store";
export const MEMORY_RECALL = "memory_recall";
export const MODEL_SWITCH = "model_switch";

export const isBuiltin = ({ origin, definition }: Tool, name: string): boolean =>
  origin === "builtin" && definition.name === name;
