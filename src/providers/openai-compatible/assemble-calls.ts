/** Puts tool calls together from their deltas, however a server labels these. Rules: UP3–UP7, SE59. */
import { isObject } from "../../contracts/json.ts";
import { responseLimits } from "../../contracts/model.ts";

/** A whole call under a key that no other call of the response has; the key carries the id the server gave, if any. */
export interface AssembledCall {
  readonly key: string;
  readonly name: string;
  readonly argumentsText: string;
  readonly extraContent?: unknown;
}

interface OpenCall {
  readonly index: number | undefined;
  id: string | undefined;
  name: string;
  argumentsText: string;
  extraContent?: unknown;
}

interface Delta {
  readonly index: number | undefined;
  readonly id: string | undefined;
  readonly name: string;
  readonly argumentsText: string;
  readonly extraContent: unknown;
}

export interface CallAssembler {
  /** Calls beyond the limit of a response are passed over. */
  take(delta: unknown): void;
  calls(): readonly AssembledCall[];
  /** UTF-16 units of what was taken. */
  size(): number;
}

export function createCallAssembler(): CallAssembler {
  const open: OpenCall[] = [];
  let size = 0;
  let full = false;
  return {
    size: () => size,
    take(raw) {
      const delta = readDelta(raw);
      // Behind a call that was passed over, a delta that names none may be that call's.
      if (delta === undefined || (full && delta.id === undefined && delta.index === undefined)) return;
      let call = findOpenCall(open, delta);
      if (call === undefined) {
        full ||= open.length === responseLimits.calls;
        if (full) return;
        call = { index: delta.index, id: undefined, name: "", argumentsText: "" };
        open.push(call);
      }
      size += addDelta(call, delta);
    },
    calls: () =>
      open.map(({ id, name, argumentsText, extraContent }, place) => ({
        key: encodeCallKey(place, id),
        name,
        argumentsText,
        ...(extraContent === undefined ? {} : { extraContent }),
      })),
  };
}

/** Returns the UTF-16 units of what the call has taken from the delta. */
function addDelta(call: OpenCall, { id, name, argumentsText, extraContent }: Delta): number {
  let size = argumentsText.length;
  call.argumentsText += argumentsText;
  // Servers that repeat the name repeat it whole, so it is never appended to.
  if (call.name === "") size += (call.name = name).length;
  if (call.id === undefined && id !== undefined) size += (call.id = id).length;
  if (call.extraContent === undefined && extraContent !== undefined) {
    call.extraContent = extraContent;
    size += JSON.stringify(extraContent).length;
  }
  return size;
}

const encodeCallKey = (place: number, id: string | undefined): string => `${place}:${id ?? ""}`;

/** The id the server gave; undefined when it gave none. */
export function decodeCallKey(key: string): string | undefined {
  const id = key.slice(key.indexOf(":") + 1);
  return id === "" ? undefined : id;
}

/** Undefined when the delta says nothing: some servers close a call with one that is blank throughout. */
function readDelta(raw: unknown): Delta | undefined {
  if (!isObject(raw)) return undefined;
  const called = isObject(raw["function"]) ? raw["function"] : raw;
  const delta: Delta = {
    index: typeof raw["index"] === "number" ? raw["index"] : undefined,
    id: nonBlank(raw["id"]),
    name: nonBlank(called["name"]) ?? "",
    argumentsText: argumentsTextOf(called["arguments"]),
    extraContent: raw["extra_content"] ?? undefined,
  };
  return delta.id === undefined && delta.name === "" && delta.argumentsText === "" ? undefined : delta;
}

const nonBlank = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined;

function argumentsTextOf(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** The call that a delta goes on with; undefined when it starts one. An id outranks an index, an index outranks the order. */
function findOpenCall(open: readonly OpenCall[], delta: Delta): OpenCall | undefined {
  const { id: wanted, index: place } = delta;
  const last =
    wanted !== undefined
      ? (open.findLast(({ id, index }) => id === wanted && (index ?? place) === (place ?? index)) ??
        // An id that comes late belongs to the call that has none at its index.
        open.findLast(({ id, index }) => id === undefined && place !== undefined && index === place))
      : place !== undefined
        ? open.findLast(({ index }) => index === place)
        : open.at(-1);
  return last !== undefined && !startsAnew(last, delta) ? last : undefined;
}

/** A name marks a new call if the call so far has another name, or is whole already and the delta brings more. */
function startsAnew(call: OpenCall, delta: Delta): boolean {
  if (delta.name === "" || call.name === "") return false;
  if (delta.name !== call.name) return true;
  return delta.argumentsText.trim() !== "" && isWholeJson(call.argumentsText);
}

function isWholeJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
