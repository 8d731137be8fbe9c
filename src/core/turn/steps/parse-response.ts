/** Step 3, parse response: what the response asks for, and the text that is left to read. Rules: PA2, PA18, T5. */
import type { AssistantEntry } from "../../../contracts/message.ts";
import type { ToolSpec } from "../../../contracts/tool.ts";
import { type ParsedCall, readNativeCalls } from "../parse/native-calls.ts";
import { type ToolLoop, eventOf } from "../turn-context.ts";
import type { ModelResponse } from "./provider-call.ts";

export interface ParsedResponse {
  readonly message: AssistantEntry;
  readonly calls: readonly ParsedCall[];
}

/** Fixes the calls' ids and commits the response with them, so that it is never asked for again. */
export function parseResponse(loop: ToolLoop, response: ModelResponse, specs: readonly ToolSpec[]): ParsedResponse {
  const { identity, progress, journal, history } = loop;
  const realNames = new Map(specs.map((spec) => [spec.name, spec.tool]));
  const calls = readNativeCalls(response.calls, {
    turn: identity.turn,
    nextNumber: progress.calls + 1,
    truncated: response.finishReason === "length",
    realName: (name) => realNames.get(name) ?? name,
    usedWireIds: new Set(history.flatMap((entry) => (entry.kind === "tool" ? [entry.wireId] : []))),
  });
  progress.calls += calls.length;
  const message = toAssistantEntry(loop, response, calls);
  journal.commitResponse({
    step: progress.iteration,
    message,
    calls: calls.map(({ call }) => call),
    events: [eventOf(loop, { type: "usage", finishReason: response.finishReason, ...response.usage })],
  });
  return { message, calls };
}

function toAssistantEntry(loop: ToolLoop, response: ModelResponse, calls: readonly ParsedCall[]): AssistantEntry {
  return {
    kind: "assistant",
    turn: loop.identity.turn,
    text: response.text.trim(),
    calls: calls.map(({ call }) => ({
      callId: call.callId,
      wireId: call.wireId,
      tool: call.tool,
      // A faulty text goes back as {}, and so does a blank one; any other to the letter (HI6).
      argumentsText: call.args === undefined || call.argumentsText.trim() === "" ? "{}" : call.argumentsText,
      ...(call.providerMetadata === undefined ? {} : { providerMetadata: call.providerMetadata }),
    })),
    ...(response.reasoning === "" ? {} : { reasoning: response.reasoning }),
    ...(response.providerMetadata === undefined ? {} : { providerMetadata: response.providerMetadata }),
  };
}
