/** Calls of a response, native or written in text: from what the model sent to ModelCalls with fixed ids, and what is wrong with them. Rules: PA4, PA14–PA17, PA19, SE57. */
import type { ModelCall } from "../../../contracts/call.ts";
import type { JsonObject, JsonValue } from "../../../contracts/json.ts";
import { utf8 } from "../../../receipts/digest.ts";
import type { ModelEvent } from "../../../contracts/model.ts";
import { toPlainJson } from "../plain-json.ts";

/** As an adapter or the text parser gives it. */
export type RawCall = Extract<ModelEvent, { type: "call" }>;

const MOST_CALLS_PER_RESPONSE = 64;
const MOST_CALLS_PER_TURN = 200;
const MOST_ARGUMENT_BYTES = 262_144;
const DEEPEST = 64;
/** Members and items of all arguments of one call. */
const MOST_ENTRIES = 10_000;
/** Code points. */
const LONGEST_NAME = 256;
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
  readonly origin: "native" | "text";
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

export function readCalls(raw: readonly RawCall[], reading: CallReading): readonly ParsedCall[] {
  const used = new Set(reading.usedWireIds);
  return raw.map((received, index) => {
    const number = reading.nextNumber + index;
    const callId = `call_${reading.turn}_${number}`;
    const wireId = chooseWireId(received.id, callId, used);
    used.add(wireId);
    const parsed = readArguments(received.argumentsText);
    const call: ModelCall = {
      callId,
      index,
      wireId,
      tool: reading.realName(received.name.toWellFormed()),
      argumentsText: received.argumentsText.toWellFormed(),
      origin: reading.origin,
      ...(received.id === undefined || received.id === "" ? {} : { providerCallId: received.id.toWellFormed() }),
      ...("args" in parsed ? { args: parsed.args } : {}),
      ...keepMetadata(received.providerMetadata),
    };
    const fault = limitFault(index, number) ?? argumentFault(reading, parsed);
    return fault === undefined ? { call } : { call, fault };
  });
}

/** A call that was stored and not yet prepared, with what is wrong with it. */
export function reparseCall(call: ModelCall, truncated: boolean): ParsedCall {
  const number = Number(call.callId.slice(call.callId.lastIndexOf("_") + 1));
  const fault = limitFault(call.index, number) ?? argumentFault({ truncated }, readArguments(call.argumentsText));
  return fault === undefined ? { call } : { call, fault };
}

/** Goes back to the provider as it came, lone surrogates aside; what is nested too deep to be kept goes. */
export function keepMetadata(metadata: JsonObject | undefined): { readonly providerMetadata?: JsonObject } {
  const kept = toPlainJson(metadata);
  return kept === undefined ? {} : { providerMetadata: kept as JsonObject };
}

/** The provider's own id if it can be used, else the minted one; a provider may have taken even that for a call before. */
function chooseWireId(received: string | undefined, callId: string, used: ReadonlySet<string>): string {
  if (received !== undefined && WIRE_ID.test(received) && !used.has(received)) return received;
  let wireId = callId;
  while (used.has(wireId)) wireId += "_";
  return wireId;
}

function limitFault(index: number, number: number): CallFault | undefined {
  if (index >= MOST_CALLS_PER_RESPONSE) return { kind: "over_limit", limit: MOST_CALLS_PER_RESPONSE };
  return number > MOST_CALLS_PER_TURN ? { kind: "over_limit", limit: MOST_CALLS_PER_TURN } : undefined;
}

function argumentFault({ truncated }: Pick<CallReading, "truncated">, parsed: ReadArguments): CallFault | undefined {
  if (truncated) return { kind: "truncated" };
  return "reason" in parsed ? { kind: "bad_arguments", reason: parsed.reason } : undefined;
}

type ReadArguments = { readonly args: JsonObject } | { readonly reason: string };

/** Blank is `{}`; anything that is no JSON object is flagged and never run with made-up arguments. */
function readArguments(received: string): ReadArguments {
  const text = received.toWellFormed();
  if (text.trim() === "") return { args: {} };
  if (utf8(text).length > MOST_ARGUMENT_BYTES) return { reason: "longer than 256 KiB" };
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return { reason: "not valid JSON" };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) return { reason: "not a JSON object" };
  const bad = firstBadPart(value, { depth: 1, tally: { entries: 0 } });
  return bad === undefined ? { args: value as JsonObject } : { reason: bad };
}

interface Place {
  readonly depth: number;
  /** Shared by all parts of one value. */
  readonly tally: { entries: number };
}

/** The limits of requests hold for models too; what fails them has no canonical form or could not be told from another value. */
function firstBadPart(value: JsonValue, { depth, tally }: Place): string | undefined {
  if (typeof value === "number") return isExact(value) ? undefined : "a number is out of range";
  if (typeof value === "string") return value.isWellFormed() ? undefined : "a text is not well-formed";
  if (typeof value !== "object" || value === null) return undefined;
  if (depth > DEEPEST) return `nested deeper than ${DEEPEST}`;
  for (const [name, item] of Object.entries(value)) {
    tally.entries += 1;
    if (tally.entries > MOST_ENTRIES) return `more than ${MOST_ENTRIES} members and items`;
    if (!name.isWellFormed()) return "a name is not well-formed";
    if (Array.from(name).length > LONGEST_NAME) return `a name has more than ${LONGEST_NAME} characters`;
    const bad = firstBadPart(item, { depth: depth + 1, tally });
    if (bad !== undefined) return bad;
  }
  return undefined;
}

/** An integer beyond 2^53 may have been another one in the text. */
const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
