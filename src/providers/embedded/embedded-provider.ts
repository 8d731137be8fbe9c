/** The embedded provider: a small deterministic planner behind the model contract. It is no language model, and says so. */
import type { ModelEvent, ModelProvider, ModelRequest, ModelUsage } from "../../contracts/model.ts";
import { capabilitiesOf, maxOutputTokensOf } from "../model-abilities.ts";
import type { ProviderConfig } from "../provider-ports.ts";
import { foldText } from "./clauses.ts";
import { composeAnswer } from "./compose-answer.ts";
import { detectLanguage } from "./phrases.ts";
import { type PlannedCall, planCalls } from "./plan.ts";
import { type MadeCall, readTurn } from "./read-turn.ts";
import { createSkills } from "./skills.ts";
import { createZoneFinder } from "./time-zones.ts";

const MODEL = "planner";

/** Same request, same events: there is no clock and no chance in it. */
export function createEmbeddedProvider({ name, settings }: Omit<ProviderConfig, "ports">): ModelProvider {
  const respond = createResponder();
  return {
    name,
    defaultModel: settings.defaultModel ?? MODEL,
    capabilities: (model) => capabilitiesOf(settings, model),
    maxOutputTokens: (model) => maxOutputTokensOf(settings, model),
    async *stream(request, signal) {
      for (const event of respond(request)) {
        if (signal.aborted) return;
        yield event;
      }
    },
  };
}

function createResponder(): (request: ModelRequest) => Generator<ModelEvent, void> {
  const findZones = createZoneFinder();
  const skills = createSkills(findZones);
  return function* respond(request) {
    const { tools } = request;
    const turn = readTurn(request);
    const plans = turn.asked.map((message) => ({ message, stages: planCalls(message, { tools, skills }) }));
    const plan = plans.find(({ stages }) => stages.length > 0) ?? plans.at(-1);
    const next = nextCalls(plan?.stages ?? [], turn.made);
    if (next.length > 0) return yield* callEvents(request, next, turn.callsBefore);
    const text = composeAnswer(turn.made, {
      tools,
      language: detectLanguage(foldText(plan?.message ?? "")),
      places: turn.made.length === 0 ? [] : turn.asked.flatMap(findZones),
    });
    yield* textEvents(request, text);
  };
}

/** The calls of the first stage that is not done yet, less those that have a result. */
function nextCalls(stages: readonly (readonly PlannedCall[])[], made: readonly MadeCall[]): readonly PlannedCall[] {
  const done = new Set(made.map(({ call }) => `${call.name} ${call.argumentsText}`));
  const open = stages.map((stage) => stage.filter(({ name, argumentsText }) => !done.has(`${name} ${argumentsText}`)));
  return open.find((stage) => stage.length > 0) ?? [];
}

function* callEvents(
  request: ModelRequest,
  calls: readonly PlannedCall[],
  before: number,
): Generator<ModelEvent, void> {
  for (const [place, call] of calls.entries()) yield { type: "call", id: `embedded_${before + place + 1}`, ...call };
  const written = calls.map(({ name, argumentsText }) => name + argumentsText).join("");
  yield { type: "finish", reason: "tool_calls", usage: usageOf(request, written) };
}

function* textEvents(request: ModelRequest, text: string): Generator<ModelEvent, void> {
  const pieces = request.stream ? (text.match(/\s*\S+/g) ?? []) : [text];
  for (const piece of pieces) yield { type: "text", text: piece };
  yield { type: "finish", reason: "stop", usage: usageOf(request, text) };
}

/** A token of this provider is four bytes of UTF-8, begun ones counted: exact by definition. */
function usageOf({ system, messages, tools }: ModelRequest, written: string): ModelUsage {
  return {
    inputTokens: tokensOf(system + JSON.stringify(messages) + JSON.stringify(tools)),
    outputTokens: tokensOf(written),
    cachedTokens: 0,
    reasoningTokens: 0,
    exact: true,
  };
}

const tokensOf = (text: string): number => Math.ceil(new TextEncoder().encode(text).byteLength / 4);
