/** builtinTools: every built-in there is, in the order in which agents are offered them. Rules: TS2, TC30. */
import type { Tool } from "../../contracts/tool.ts";
import { calculator } from "./calculator.ts";
import { currentTime } from "./current-time.ts";
import { httpRequest } from "./http-request.ts";
import { memoryRecall } from "./memory-recall.ts";
import { memoryStore } from "./memory-store.ts";
import { modelSwitch } from "./model-switch.ts";
import { readResult } from "./read-result.ts";
import { todoWrite } from "./todo-write.ts";
import { toolSearch } from "./tool-search.ts";

export const builtinTools: readonly Tool[] = Object.freeze([
  readResult,
  todoWrite,
  currentTime,
  calculator,
  httpRequest,
  memoryStore,
  memoryRecall,
  modelSwitch,
  toolSearch,
]);
