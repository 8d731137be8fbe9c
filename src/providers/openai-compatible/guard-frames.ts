/** Rewrites what a server sends into the one shape that the provider package reads without surprises. Rules: UP3–UP7, UP12–UP16, SE59, SE85. */
import { isObject } from "../../contracts/json.ts";
import { responseLimits, responseTooLarge } from "../../contracts/model.ts";
import { createCallAssembler } from "./assemble-calls.ts";
import type { CallAssembler } from "./assemble-calls.ts";
import { type JsonRecord, parseJson } from "./json-record.ts";
import { cleanUsage } from "./clean-usage.ts";

export interface Frame {
  readonly event?: string | undefined;
  readonly data: string;
}

export interface FrameGuard {
  /** The data of the frame to pass on; undefined when it says nothing that anyone reads. */
  take(frame: Frame): string | undefined;
  /** True once a finish reason has come: only usage may still follow. */
  finished(): boolean;
  /** The data of a last frame with every call, whole, or with an error if one cannot be used; undefined when there was none. */
  end(): string | undefined;
}

/** Tool deltas are kept back: the package merges some calls that have distinct ids, and refuses some that lack a name at first. */
export function createFrameGuard(): FrameGuard {
  const assembler = createCallAssembler();
  let finished = false;
  return {
    finished: () => finished,
    take({ event, data }) {
      const value = parseJson(data);
      if (event === "error")
        return JSON.stringify({ error: errorOf(isObject(value) ? (value["error"] ?? value) : data) });
      // Passed on as it is: the package reports it as a part that errs.
      if (!isObject(value)) return data;
      if (value["error"] !== undefined && value["error"] !== null) {
        return JSON.stringify({ error: errorOf(value["error"]) });
      }
      const choices: unknown = value["choices"];
      if (!Array.isArray(choices) && !isObject(value["usage"])) return undefined;
      const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
      const chunk = isObject(choice) ? chunkChoice(choice, assembler) : undefined;
      if (assembler.size() > responseLimits.size) return tooLargeFrame;
      finished ||= chunk?.["finish_reason"] !== undefined;
      return JSON.stringify({ choices: chunk === undefined ? [] : [chunk], ...usageOf(value) });
    },
    end() {
      const toolCalls = wireCalls(assembler);
      if (toolCalls.some(isNameless)) return JSON.stringify(NAMELESS);
      return toolCalls.length === 0 ? undefined : JSON.stringify({ choices: [{ delta: { tool_calls: toolCalls } }] });
    },
  };
}

/** The same for a plain answer. What is no chat completion is left as it is, for the package to refuse. */
export function guardAnswer(body: string): string {
  const value = parseJson(body);
  const choices = isObject(value) ? value["choices"] : undefined;
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(value) || !isObject(choice) || !isObject(choice["message"])) return body;
  const toolCalls = (arrayOf(choice["message"]["tool_calls"]) ?? []).flatMap((call, place) => {
    const assembler = createCallAssembler();
    assembler.take(call);
    return wireCalls(assembler).map((wire) => ({ ...wire, id: wire.id.replace(/^\d+/, String(place)) }));
  });
  if (toolCalls.some(isNameless)) return JSON.stringify(NAMELESS);
  const message = { ...saidIn(choice["message"]), ...(toolCalls.length === 0 ? {} : { tool_calls: toolCalls }) };
  return JSON.stringify({
    choices: [{ message, finish_reason: nonEmpty(choice["finish_reason"]) }],
    ...usageOf(value),
  });
}

function chunkChoice(choice: JsonRecord, assembler: CallAssembler): JsonRecord {
  const delta = isObject(choice["delta"]) ? choice["delta"] : {};
  for (const call of arrayOf(delta["tool_calls"]) ?? []) assembler.take(call);
  return { delta: saidIn(delta), finish_reason: nonEmpty(choice["finish_reason"]) };
}

/** The members that are read, when they have a shape that can be read; all others are left out. */
function saidIn(message: JsonRecord): JsonRecord {
  const { content, refusal, reasoning_content: reasoningContent, reasoning } = message;
  const thought = nonEmpty(reasoningContent) ?? nonEmpty(reasoning);
  return {
    content: typeof content === "number" ? String(content) : typeof content === "string" ? content : arrayOf(content),
    refusal: nonEmpty(refusal),
    reasoning_content: thought,
  };
}

function wireCalls(assembler: CallAssembler) {
  return assembler.calls().map(({ key, name, argumentsText, extraContent }, index) => ({
    index,
    id: key,
    function: { name, arguments: argumentsText },
    extra_content: isObject(extraContent) ? extraContent : undefined,
  }));
}

/** The package would pass over such a call, and the model would wait for a result that never comes. */
const NAMELESS = { error: { message: "a tool call came without a name" } };
const isNameless = (call: { readonly function: { readonly name: string } }): boolean => call.function.name === "";

/** Stands for everything that would have followed. */
export const tooLargeFrame = JSON.stringify({ error: { message: responseTooLarge } });

const usageOf = ({ usage }: JsonRecord): JsonRecord => (isObject(usage) ? { usage: cleanUsage(usage) } : {});

const nonEmpty = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined;

const arrayOf = (value: unknown): readonly unknown[] | undefined => (Array.isArray(value) ? value : undefined);

function errorOf(error: unknown): JsonRecord {
  if (!isObject(error)) return { message: typeof error === "string" ? error : JSON.stringify(error) };
  const { message, code, type } = error;
  return {
    message: nonEmpty(message) ?? JSON.stringify(error),
    code: typeof code === "string" || typeof code === "number" ? code : undefined,
    type: nonEmpty(type),
  };
}
