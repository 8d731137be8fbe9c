/** Provider tool: one that the provider ran itself is shown as a pair of events, and takes part in nothing else. Rules: PV12. */
import type { ModelPart } from "./model-stream.ts";
import { boundText } from "./steps/bound.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export type ProviderTool = Extract<ModelPart, { type: "provider_tool" }>;

/** `index`: how many of the same response came before. It is no call of the turn: no row, no receipt, no guard knows of it. */
export function relayProviderTool(loop: ToolLoop, ran: ProviderTool, index: number): void {
  const { ports, knobs } = loop.execution;
  const call = { callId: `prv_${ports.uuid()}`, tool: ran.name, origin: "provider" } as const;
  const { success, durationMs } = ran;
  const { text: output, chars, truncated } = boundText(ran.output.toWellFormed(), knobs.maxToolResultChars);
  const ended = { disposition: null, success, output, chars, truncated, durationMs } as const;
  loop.journal.appendEvents([
    eventOf(loop, { type: "tool_call", ...call, toolOrigin: null, arguments: ran.arguments, index }),
    eventOf(loop, { type: "tool_result", ...call, ...ended }),
  ]);
}
