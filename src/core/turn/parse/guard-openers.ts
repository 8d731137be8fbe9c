/** Guard openers: where in a streamed chunk tool protocol may begin. Rules: TP68, TP69. */
import { foldAscii } from "../../../policy/fold-ascii.ts";

const FENCES = ["```tool", "```invoke", "```json"];
const EMBEDDED = ["<tool_call", "<toolcall", "<tool-call", "<invoke", "<function", ...FENCES];
const LATE = ["<tool", "<invoke", "<function", ...FENCES];
const CONTAINER_KEYS = ['"tool_calls"', '"toolcalls"', '"function_call"'];
const LATE_KEYS = ['"tool', '"function', '"call'];
/** A bracket this close to the end of a chunk says nothing yet. */
const SHORT_BYTES = 16;

/** Undecided until the response is complete, however much of them has come. */
const HELD_TO_THE_END = [...LATE, "[tool_call]"];
const LONGEST_OPENER = 16;

/** What a chunk must not be cut inside of, or the guard would see neither half for what it is. */
export const WHOLE_OPENERS: readonly string[] = LATE;

export function isHeldToTheEnd(candidate: string): boolean {
  const lower = foldAscii(candidate.slice(0, LONGEST_OPENER));
  return HELD_TO_THE_END.some((start) => lower.startsWith(start));
}

/** Whether a chunk begins, white space aside, with what may be protocol. Expects lower-cased text, as the next two do. */
export function startsSuspiciously(lower: string): boolean {
  const start = lower.trimStart();
  return ["{", "[", ...LATE].some((opener) => start.startsWith(opener));
}

/** Place of the first opener that is plainly one. */
export function embeddedOpener(lower: string): number | undefined {
  const tags = EMBEDDED.map((opener) => lower.indexOf(opener));
  const keys = CONTAINER_KEYS.map((key) => lower.indexOf(key)).map((at) => (at < 0 ? -1 : lastBracket(lower, at)));
  return earliest([...tags, ...keys]);
}

/** Place of the first opener that may still become one, judged by the last of each kind. */
export function lateOpener(lower: string): number | undefined {
  const brackets = ["{", "["]
    .map((bracket) => lower.lastIndexOf(bracket))
    .filter((at) => at >= 0 && mayBecomeCall(lower.slice(at)));
  return earliest([...LATE.map((opener) => lower.lastIndexOf(opener)), ...brackets]);
}

const lastBracket = (lower: string, before: number): number =>
  Math.max(lower.lastIndexOf("{", before), lower.lastIndexOf("[", before));

const mayBecomeCall = (rest: string): boolean => LATE_KEYS.some((key) => rest.includes(key)) || isShort(rest);

/** At most 16 bytes of UTF-8. */
function isShort(text: string): boolean {
  if (text.length > SHORT_BYTES) return false;
  let bytes = 0;
  for (const point of text) {
    const code = point.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes <= SHORT_BYTES;
}

function earliest(places: readonly number[]): number | undefined {
  const found = places.filter((place) => place >= 0);
  return found.length === 0 ? undefined : Math.min(...found);
}
