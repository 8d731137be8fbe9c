/** builtinTools: every built-in there is, in the order in which agents are offered them. Rules: TS2, TC30. */
import type { Tool } from "../../contracts/tool.ts";
import { calculator } from "./calculator.ts";
import { currentTime } from "./current-time.ts";
import { httpRequest } from "./http-request.ts";
import { readResult } from "./read-result.ts";
import { toolSearch } from "./tool-search.ts";

export const builtinTools: readonly Tool[] = Object.freeze([
  readResult,
  currentTime,
  calculator,
  httpRequest,
  toolSearch,
]);
