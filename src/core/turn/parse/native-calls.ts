/** Native calls: from what a provider sent to ModelCalls with fixed ids, and what is wrong with them. Rules: PA4, PA14–PA17, PA19, SE57. */
import type { ModelCall } from "../../../contracts/call.ts";
import type { JsonObject, JsonValue } from "../../../contracts/json.ts";
import type { RawCall } from "../steps/provider-call.ts";

export const MOST_CALLS_PER_RESPONSE = 64;
export const MOST_CALLS_PER_TURN = 200;
const MOST_ARGUMENT_CHARS = 262_144;
const DEEPEST = 64;
const WIRE_ID = /^[A-Za-z0-9_-]{1,64}$/;

/** Why a call cannot go on, found before its tool is even looked up. */
export type CallFault =
  | { readonly kind: "truncated" }
  | { readonly kind: "over_limit"; readonly limit: number }
  | { readonly kind: "bad_arguments"; readonly reason: string };

export interface ParsedCall {
  readonly call: ModelCall;
  readonly fault?: CallFault;
}

export interface CallReading {
  readonly turn: string;
  /** Number of the first call to mint (PA15). */
  readonly nextNumber: number;
  /** True when the response was cut by its token limit (PA14). */
  readonly truncated: boolean;
  /** Provider name → real name. */
  readonly realName: (providerName: string) => string;
  /** Wire ids already in this history. */
  readonly usedWireIds: ReadonlySet<string>;
}

export function readNativeCalls(raw: readonly RawCall[], reading: CallReading): readonly ParsedCall[] {
  const used = new Set(reading.usedWireIds);
  return raw.map((received, index) => {
    const number = reading.nextNumber + index;
    const callId = `call_${reading.turn}_${number}`;
    const wireId =
      received.id !== undefined && WIRE_ID.test(received.id) && !used.has(received.id) ? received.id : callId;
    used.add(wireId);
    const parsed = readArguments(received.argumentsText);
    const call: ModelCall = {
      callId,
      index,
      wireId,
      tool: reading.realName(received.name.toWellFormed()),
      argumentsText: received.argumentsText.toWellFormed(),
      origin: "native",
      ...(received.id === undefined || received.id === "" ? {} : { providerCallId: received.id }),
      ...("args" in parsed ? { args: parsed.args } : {}),
      ...(received.providerMetadata === undefined ? {} : { providerMetadata: received.providerMetadata }),
    };
    const fault = limitFault(index, number) ?? argumentFault(reading, parsed);
    return fault === undefined ? { call } : { call, fault };
  });
}

function limitFault(index: number, number: number): CallFault | undefined {
  if (index >= MOST_CALLS_PER_RESPONSE) return { kind: "over_limit", limit: MOST_CALLS_PER_RESPONSE };
  return number > MOST_CALLS_PER_TURN ? { kind: "over_limit", limit: MOST_CALLS_PER_TURN } : undefined;
}

function argumentFault({ truncated }: CallReading, parsed: ReadArguments): CallFault | undefined {
  if (truncated) return { kind: "truncated" };
  return "reason" in parsed ? { kind: "bad_arguments", reason: parsed.reason } : undefined;
}

type ReadArguments = { readonly args: JsonObject } | { readonly reason: string };

/** Blank is `{}`; anything that is no JSON object is flagged and never run with made-up arguments. */
function readArguments(text: string): ReadArguments {
  if (text.trim() === "") return { args: {} };
  if (text.length > MOST_ARGUMENT_CHARS) return { reason: "longer than 256 KiB" };
  let value: JsonValue;
  try {
    value = JSON.parse(text.toWellFormed()) as JsonValue;
  } catch {
    return { reason: "not valid JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "not a JSON object" };
  const bad = firstBadPart(value, 1);
  return bad === undefined ? { args: value as JsonObject } : { reason: bad };
}

function firstBadPart(value: JsonValue, depth: number): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : "a number is out of range";
  if (typeof value === "string") return value.isWellFormed() ? undefined : "a text is not well-formed";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > DEEPEST) return `nested deeper than ${DEEPEST}`;
  for (const item of Object.values(value)) {
    const bad = firstBadPart(item, depth + 1);
    if (bad !== undefined) return bad;
  }
  return undefined;
}
