/** Parallel batches: whether the calls of a batch may overlap. Rules: DI1, DI2. */
import type { Disposition } from "../../contracts/call.ts";
import { TOOL_SEARCH } from "../../policy/builtin-tool.ts";
import { resolveTool } from "./resolve-tool.ts";
import { type JudgedBatch, rule } from "./steps/approval-gate.ts";
import { type Preparation, withoutApprovalMarker } from "./steps/call-prep.ts";
import type { ToolLoop } from "./turn-context.ts";

/** How the gate settles a call that needed a prompt, without asking anyone. */
const PROMPTED: ReadonlySet<Disposition> = new Set(["denied", "duplicate"]);

/** Judged once, when the batch is opened: a batch in which any call needs a prompt, or searches for tools, stays in model order. */
export async function mayRunInParallel(
  loop: ToolLoop,
  preparations: readonly Preparation[],
  { judged, settled }: JudgedBatch,
): Promise<boolean> {
  if (!loop.execution.knobs.parallelTools) return false;
  const executable = judged.filter(({ prepared }) => !prepared.tool.client);
  if (executable.length < 2 || preparations.some((preparation) => namesOf(preparation).includes(TOOL_SEARCH)))
    return false;
  if (judged.some(({ ruling }) => ruling.requirement === "prompt")) return false;
  if (settled.some(({ reason }) => PROMPTED.has(reason.disposition))) return false;
  for (const preparation of preparations) if (await promptsAsRequested(loop, preparation)) return false;
  return true;
}

const callOf = (preparation: Preparation) =>
  preparation.kind === "settled" ? preparation.call : preparation.prepared.call;

/** The name before hooks and the name after. */
const namesOf = (preparation: Preparation): readonly string[] =>
  preparation.kind === "settled"
    ? [preparation.call.tool]
    : [preparation.prepared.call.tool, preparation.prepared.tool.definition.name];

/** A hook that turned a call into another, or stopped it, does not make its batch any freer. */
async function promptsAsRequested(loop: ToolLoop, preparation: Preparation): Promise<boolean> {
  const { requested } = preparation;
  if (requested === undefined) return false;
  const resolution = resolveTool(loop, callOf(preparation).tool);
  if (resolution.kind !== "granted") return false;
  const { tool } = resolution;
  const args = withoutApprovalMarker(tool, requested);
  return tool.checkArguments(args).ok && (await rule(loop, { tool, args })).requirement === "prompt";
}
