/** Judges the raw bytes of a JSON request in one linear scan, before `JSON.parse` sees them. Rules: SE57, SE58. */
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { decodeValidUtf8, isValidUtf8 } from "./utf8.ts";

export const jsonFaults = [
  "syntax",
  "utf8",
  "bom",
  "depth",
  "size",
  "duplicate_key",
  "forbidden_key",
  "number_range",
] as const;
export type JsonFault = (typeof jsonFaults)[number];

const maxDepth = 64;
/** Members and items of the whole document. */
const maxEntries = 10_000;
/** Code points. */
const maxNameLength = 256;
/** A code point takes at most twelve bytes in a name: an escaped surrogate pair. */
const maxNameBytes = maxNameLength * 12;
/** Characters. */
const maxNumberLength = 64;
const forbiddenNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/** Reading past the end gives 0, which no grammar rule accepts. */
interface Scan {
  readonly bytes: Uint8Array;
  at: number;
  entries: number;
  /** Whether the string read last held a backslash. */
  escaped: boolean;
}
type Verdict = JsonFault | undefined;

/** Success promises that `JSON.parse` takes the same bytes; otherwise the first thing found wrong. */
export function scanJson(bytes: Uint8Array): Result<undefined, JsonFault> {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return failWith("bom");
  if (!isValidUtf8(bytes)) return failWith("utf8");
  const scan: Scan = { bytes, at: 0, entries: 0, escaped: false };
  const fault = scanValue(scan, 0);
  if (fault !== undefined) return failWith(fault);
  skipSpace(scan);
  return scan.at === bytes.length ? succeed(undefined) : failWith("syntax");
}

function scanValue(scan: Scan, depth: number): Verdict {
  skipSpace(scan);
  switch (peek(scan)) {
    case 0x7b:
      return depth === maxDepth ? "depth" : scanObject(scan, depth + 1);
    case 0x5b:
      return depth === maxDepth ? "depth" : scanArray(scan, depth + 1);
    case 0x22:
      return scanString(scan);
    case 0x74:
      return scanWord(scan, "true");
    case 0x66:
      return scanWord(scan, "false");
    case 0x6e:
      return scanWord(scan, "null");
    default:
      return scanNumber(scan);
  }
}

function scanObject(scan: Scan, depth: number): Verdict {
  scan.at += 1;
  skipSpace(scan);
  if (take(scan, 0x7d)) return undefined;
  const names = new Set<string>();
  do {
    skipSpace(scan);
    const fault = scanName(scan, names) ?? countEntry(scan);
    if (fault !== undefined) return fault;
    skipSpace(scan);
    if (!take(scan, 0x3a)) return "syntax";
    const inner = scanValue(scan, depth);
    if (inner !== undefined) return inner;
    skipSpace(scan);
  } while (take(scan, 0x2c));
  return take(scan, 0x7d) ? undefined : "syntax";
}

function scanArray(scan: Scan, depth: number): Verdict {
  scan.at += 1;
  skipSpace(scan);
  if (take(scan, 0x5d)) return undefined;
  do {
    const fault = countEntry(scan) ?? scanValue(scan, depth);
    if (fault !== undefined) return fault;
    skipSpace(scan);
  } while (take(scan, 0x2c));
  return take(scan, 0x5d) ? undefined : "syntax";
}

/** Names are compared as they will be used: unescaped, then well-formed, or two lone surrogates would become one name. */
function scanName(scan: Scan, names: Set<string>): Verdict {
  const start = scan.at + 1;
  if (peek(scan) !== 0x22 || scanString(scan) !== undefined) return "syntax";
  const raw = scan.bytes.subarray(start, scan.at - 1);
  if (raw.length > maxNameBytes) return "size";
  const name = scan.escaped ? unescapeName(decodeValidUtf8(raw)) : decodeValidUtf8(raw);
  if (name.length > maxNameLength && Array.from(name).length > maxNameLength) return "size";
  if (forbiddenNames.has(name)) return "forbidden_key";
  if (names.has(name)) return "duplicate_key";
  names.add(name);
  return undefined;
}

const unescapeName = (raw: string): string => String(JSON.parse(`"${raw}"`)).toWellFormed();

function scanString(scan: Scan): Verdict {
  const { bytes } = scan;
  let at = scan.at + 1;
  scan.escaped = false;
  for (;;) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x22) break;
    if (byte < 0x20) return "syntax";
    if (byte === 0x5c) {
      const width = escapeWidth(bytes, at);
      if (width === 0) return "syntax";
      scan.escaped = true;
      at += width;
    } else {
      at += 1;
    }
  }
  scan.at = at + 1;
  return undefined;
}

const simpleEscapes: ReadonlySet<number> = new Set(Array.from('"\\/bfnrt', (mark) => mark.charCodeAt(0)));

function escapeWidth(bytes: Uint8Array, at: number): 0 | 2 | 6 {
  const kind = bytes[at + 1] ?? 0;
  if (simpleEscapes.has(kind)) return 2;
  if (kind !== 0x75) return 0;
  for (let digit = at + 2; digit < at + 6; digit += 1) if (!isHexDigit(bytes[digit] ?? 0)) return 0;
  return 6;
}

function scanNumber(scan: Scan): Verdict {
  const start = scan.at;
  take(scan, 0x2d);
  if (!take(scan, 0x30) && !takeDigits(scan)) return "syntax";
  if (take(scan, 0x2e) && !takeDigits(scan)) return "syntax";
  if (take(scan, 0x65) || take(scan, 0x45)) {
    if (!take(scan, 0x2b)) take(scan, 0x2d);
    if (!takeDigits(scan)) return "syntax";
  }
  if (scan.at - start > maxNumberLength) return "number_range";
  return isExact(Number(String.fromCharCode(...scan.bytes.subarray(start, scan.at)))) ? undefined : "number_range";
}

/** An integer is one however it is written: `1e16` and `10000000000000000` are the same value. */
const isExact = (value: number): boolean =>
  Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));

function scanWord(scan: Scan, word: string): Verdict {
  for (let index = 0; index < word.length; index += 1) if (!take(scan, word.charCodeAt(index))) return "syntax";
  return undefined;
}

function countEntry(scan: Scan): Verdict {
  scan.entries += 1;
  return scan.entries > maxEntries ? "size" : undefined;
}

const peek = (scan: Scan): number => scan.bytes[scan.at] ?? 0;

function take(scan: Scan, byte: number): boolean {
  if (scan.bytes[scan.at] !== byte) return false;
  scan.at += 1;
  return true;
}

/** At least one. */
function takeDigits(scan: Scan): boolean {
  const start = scan.at;
  while (isDigit(peek(scan))) scan.at += 1;
  return scan.at > start;
}

function skipSpace(scan: Scan): void {
  for (;;) {
    const byte = scan.bytes[scan.at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return;
    scan.at += 1;
  }
}

const isDigit = (byte: number): boolean => byte >= 0x30 && byte <= 0x39;
const isHexDigit = (byte: number): boolean =>
  isDigit(byte) || (byte >= 0x41 && byte <= 0x46) || (byte >= 0x61 && byte <= 0x66);
