/** Call events: how a call is announced, and how its result is told to whoever watches. Rules: EV2–EV4, EX4, EX12. */
import type { CallAnnouncement, CallOutcome, ModelCall } from "../../contracts/call.ts";
import type { TurnEventBody } from "../../contracts/turn-event.ts";
import { readArtifact } from "./delivered.ts";

/** The same for a call that is about to run and for one that never will. */
export function toolCallBody(call: ModelCall, { tool, toolOrigin, args }: CallAnnouncement): TurnEventBody {
  const { callId, origin, index, providerCallId } = call;
  const provider = providerCallId === undefined ? {} : { providerCallId };
  return { type: "tool_call", callId, tool, toolOrigin, arguments: args, origin, index, ...provider };
}

/** Data is a success's alone, and so is the file that it may speak of. `tool` is the real name of the one that was meant. */
export function toolResultBody({ callId, origin }: ModelCall, tool: string, outcome: CallOutcome): TurnEventBody {
  const { shown: output, receipt, data, ...told } = outcome;
  const artifact = readArtifact(data);
  return {
    type: "tool_result",
    callId,
    tool,
    origin,
    output,
    ...told,
    ...(receipt === undefined ? {} : { receipt: receipt.token }),
    ...(data === undefined || !told.success ? {} : { data }),
    ...(artifact === undefined || !told.success ? {} : { artifact }),
  };
}

/** A call that never ran is announced right before its result, with nothing between (EV3). */
export const pairOfEvents = (
  call: ModelCall,
  announcement: CallAnnouncement,
  outcome: CallOutcome,
): readonly [TurnEventBody, TurnEventBody] => [
  toolCallBody(call, announcement),
  toolResultBody(call, announcement.tool, outcome),
];
