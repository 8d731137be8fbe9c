/** Client calls: what the caller itself runs is requested together, once everything else of the batch has settled. Rules: DI11, DI12, RE20, CK1. */
import { toPreparedRow } from "./ask-approval.ts";
import { toolCallBody } from "./call-events.ts";
import { type Suspended, suspendedHere } from "./outcome.ts";
import type { ApprovedCall } from "./steps/approval-gate.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

export function offerClientCalls(loop: ToolLoop, calls: readonly ApprovedCall[]): Suspended {
  const { ports, knobs } = loop.execution;
  loop.journal.offerCalls({
    step: loop.iteration,
    calls: calls.map((prepared) => ({
      prepared: toPreparedRow({ prepared, ruling: { requirement: "approved", line: 5 } }),
      expiresAt: ports.now() + (prepared.tool.timeoutSecs ?? knobs.clientToolTimeoutSecs) * 1000,
    })),
    events: calls.flatMap((prepared) => offerEvents(loop, prepared)),
  });
  return suspendedHere;
}

function offerEvents(loop: ToolLoop, { call, tool, args }: ApprovedCall) {
  const named = { tool: tool.definition.name, toolOrigin: tool.origin };
  return [
    eventOf(loop, toolCallBody(call, { ...named, args })),
    eventOf(loop, { type: "client_tool_requested", callId: call.callId, ...named, arguments: args }),
  ];
}
