/** What a message hides of the tools that an execution has, once for its whole frame. Rules: TS7, TS8, FG4, DG8. */
import { hiddenTools } from "../../policy/tool-filter-groups.ts";
import type { ResolvedAgentExecution } from "./resolved-agent-execution.ts";

/** Real names; of stubs, too, so that what is hidden is neither listed nor found. */
export function hideTools({ knobs, registry }: ResolvedAgentExecution, message: string): ReadonlySet<string> {
  const granted = [...registry.visible, ...registry.stubs];
  const tools = granted.map(({ definition, origin }) => ({ name: definition.name, origin }));
  return hiddenTools(knobs.toolFilterGroups, tools, message);
}
