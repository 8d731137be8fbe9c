/** What provider tests build on: settings as the configuration gives them, ports over the real platform, requests, events as arrays. */
import { expect } from "vitest";
import { providerSchema } from "../../../src/contracts/config/providers.ts";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { ModelEvent, ModelMessage, ModelProvider, ModelRequest } from "../../../src/contracts/model.ts";
import type { CancelSignal } from "../../../src/contracts/ports.ts";
import type { ToolSpec } from "../../../src/contracts/tool.ts";
import { createRedactor } from "../../../src/observe/redact.ts";
import type { ProviderPorts, ProviderSettings } from "../../../src/providers/provider-ports.ts";

export const settingsOf = (file: JsonObject): ProviderSettings => providerSchema.parse(file);

export function portsOf({ secrets = new Map(), ...changes }: Partial<ProviderPorts> = {}): ProviderPorts {
  return {
    fetch: (url, init) => fetch(url, init),
    judge: () => ({ ok: true, value: undefined }),
    startTimer: (ms, act) => {
      const timer = setTimeout(act, ms);
      return () => clearTimeout(timer);
    },
    secrets,
    clean: createRedactor({ secrets: secrets.values() }).text,
    ...changes,
  };
}

/** A timer that is due `after` ms when `due` says so, and never otherwise; each delay asked for is noted. */
export function timersOf(
  due: (ms: number) => boolean,
  after = 0,
): { asked: number[]; startTimer: ProviderPorts["startTimer"] } {
  const asked: number[] = [];
  return {
    asked,
    startTimer: (ms, act) => {
      asked.push(ms);
      const timer = due(ms) ? setTimeout(act, after) : undefined;
      return () => clearTimeout(timer);
    },
  };
}

export const userSays = (text: string): ModelMessage => ({ role: "user", parts: [{ type: "text", text }] });

export function toolOf(tool: string, properties: JsonObject, required: readonly string[] = []): ToolSpec {
  return { name: tool, tool, description: tool, parameters: { type: "object", properties, required } };
}

export function requestOf(changes: Partial<ModelRequest>): ModelRequest {
  return {
    model: "m",
    system: "",
    messages: [userSays("hello")],
    tools: [],
    temperature: null,
    maxOutputTokens: 256,
    stream: true,
    ...changes,
  };
}

export const neverCancelled = (): CancelSignal => new AbortController().signal;

export async function collect(
  provider: ModelProvider,
  request: ModelRequest,
  signal: CancelSignal = neverCancelled(),
): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of provider.stream(request, signal)) events.push(event);
  return events;
}

export const textOf = (events: readonly ModelEvent[]): string =>
  events.map((event) => (event.type === "text" ? event.text : "")).join("");

/** `[name, argument text]` of each call, in order. */
export const callsOf = (events: readonly ModelEvent[]): [string, string][] =>
  events.flatMap((event) => (event.type === "call" ? [[event.name, event.argumentsText]] : []));

/** The one fault a failed call ends with, and that it is the last event. */
export function faultOf(events: readonly ModelEvent[]) {
  const last = events.at(-1);
  if (last?.type !== "fault") expect.fail(`no fault at the end of ${JSON.stringify(events)}`);
  expect(events.filter(({ type }) => type === "fault" || type === "finish")).toHaveLength(1);
  return last.fault;
}
