/** The scripted model: one tool call, then fifty deltas of text; it decides nothing, so that a turn costs what the runtime costs. */
import type { ModelEvent, ModelRequest, ModelUsage } from "../../src/contracts/model.ts";
import { capabilitiesOf, maxOutputTokensOf } from "../../src/providers/model-abilities.ts";
import type { ProviderFactory } from "../../src/providers/provider-ports.ts";
import { deltas, pacedProvider, tokenMs, toolName } from "./script.ts";

const usage: ModelUsage = { inputTokens: 600, outputTokens: 50, cachedTokens: 0, reasoningTokens: 0, exact: true };

/** The provider's name says whether it waits between deltas. */
export const createScriptedProvider: ProviderFactory = ({ name, settings }) => {
  const pause = name === pacedProvider ? pauseForToken : undefined;
  return {
    name,
    defaultModel: "script",
    capabilities: (model) => capabilitiesOf(settings, model),
    maxOutputTokens: (model) => maxOutputTokensOf(settings, model),
    async *stream(request, signal) {
      for (const event of respond(request)) {
        if (event.type === "text") await pause?.();
        if (signal.aborted) return;
        yield event;
      }
    },
  };
};

const pauseForToken = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, tokenMs));

function* respond({ messages }: ModelRequest): Generator<ModelEvent, void> {
  if (messages.at(-1)?.role === "user") {
    yield { type: "call", id: `call_${messages.length}`, name: toolName, argumentsText: '{"topic":"rivers"}' };
    return yield { type: "finish", reason: "tool_calls", usage };
  }
  for (let delta = 0; delta < deltas; delta += 1) yield { type: "text", text: `word${delta} ` };
  yield { type: "finish", reason: "stop", usage };
}
