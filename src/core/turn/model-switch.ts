/** Model switch: what a round asked for is held for its frame, and takes effect when the next iteration begins. Rules: LC29, TC34, DG5. */
import type { SwitchableModels } from "../../contracts/tool.ts";
import { MODEL_SWITCH, isBuiltin } from "../../policy/builtin-tool.ts";
import { modelName } from "../execution/model-binding.ts";
import type { FilledSlots } from "./call-slots.ts";
import { readAskedModel } from "./delivered.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export const switchableModels = ({ execution, model }: ToolLoop): SwitchableModels => ({
  current: modelName(model),
  allowed: execution.agent.switchableModels,
});

/** Of several in one round the last counts. To be called before the round is written, so that its checkpoint has it. */
export function holdSwitch(loop: ToolLoop, results: FilledSlots): void {
  const resolution = loop.execution.registry.resolve(MODEL_SWITCH);
  if (!("tool" in resolution) || !isBuiltin(resolution.tool, MODEL_SWITCH)) return;
  const ours = results.filter(({ compared }) => compared?.tool === MODEL_SWITCH);
  const asked = ours.flatMap(({ outcome }) => readAskedModel(outcome) ?? []).at(-1);
  if (asked !== undefined) loop.switchTo = asked;
}

/** A model that cannot be had answers nothing: its first request fails, and the frame ends `failed: provider_error`. */
export function switchModel(loop: ToolLoop): void {
  const { switchTo: to } = loop;
  const from = modelName(loop.model);
  delete loop.switchTo;
  if (to === undefined || to === from) return;
  loop.model = loop.execution.bindModel(to);
  loop.journal.appendEvents([eventOf(loop, { type: "model_switched", from, to })]);
}
