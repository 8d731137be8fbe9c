/** The scan of raw request bytes agrees with `JSON.parse` where it accepts, names the class where it refuses. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type JsonFault, scanJson } from "../../src/wire/json-scan.ts";

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

function judge(document: string | Uint8Array): JsonFault | "accepted" {
  const scanned = scanJson(typeof document === "string" ? bytesOf(document) : document);
  return scanned.ok ? "accepted" : scanned.failure;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The other classes are rules of ours, of which the parser knows nothing. */
function agreesWithParser(text: string): boolean {
  const verdict = judge(text);
  return verdict === "accepted" ? parses(text) : verdict !== "syntax" || !parses(text);
}

function isUtf8(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

const isInexact = (value: unknown): boolean =>
  typeof value === "number"
    ? Number.isInteger(value) && !Number.isSafeInteger(value)
    : typeof value === "object" && value !== null && Object.values(value).some(isInexact);
const hasForbiddenName = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  Object.entries(value).some(
    ([name, member]) => ["__proto__", "constructor", "prototype"].includes(name) || hasForbiddenName(member),
  );
const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);

describe("accepted documents", () => {
  test("[SE57] every document that JSON.stringify makes is accepted, unless a rule beyond syntax forbids it", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 6 }), fc.constantFrom(undefined, 2, "\t"), (value, indent) => {
        fc.pre(!isInexact(value) && !hasForbiddenName(value));
        expect(judge(JSON.stringify(value, null, indent))).toBe("accepted");
      }),
    );
  });

  test("[SE57] whatever is accepted, JSON.parse takes; whatever is a syntax fault, it refuses", () => {
    const scraps = fc.constantFrom(
      ...Array.from('{}[]:,"\\/-+.eE0123456789 \n\t\u0000\u001fé😀'),
      "true",
      "false",
      "null",
      "\\u00e9",
      "\\ud83d",
      '"a"',
      '"b":',
      "\u2028",
      "\u00a0",
    );
    fc.assert(
      fc.property(fc.array(scraps, { maxLength: 12 }), (pieces) => {
        const text = pieces.join("");
        expect(agreesWithParser(text)).toBe(true);
      }),
      { numRuns: 3000 },
    );
  });

  test("[SE57] one character changed anywhere in a document never makes the two disagree", () => {
    const document = '{"a":[1,-0.5e+3,"x\\n\\u0041é"],"b":{"c":null,"d":true},"e":false}';
    fc.assert(
      fc.property(fc.nat(document.length - 1), fc.constantFrom(...Array.from('"\\,:{}[]0 ex\n')), (at, character) => {
        const text = document.slice(0, at) + character + document.slice(at + 1);
        expect(agreesWithParser(text)).toBe(true);
      }),
    );
  });
});

describe("refused documents", () => {
  test.each<[string, JsonFault, string | Uint8Array]>([
    ["a cut sequence", "utf8", Uint8Array.of(0xc3, 0x28)],
    ["an overlong slash", "utf8", Uint8Array.of(0x22, 0xc0, 0xaf, 0x22)],
    ["an encoded surrogate", "utf8", Uint8Array.of(0x22, 0xed, 0xa0, 0x80, 0x22)],
    ["a code point beyond U+10FFFF", "utf8", Uint8Array.of(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22)],
    ["a sequence cut by the end", "utf8", Uint8Array.of(0x22, 0xf0, 0x9f, 0x98)],
    ["a byte order mark", "bom", Uint8Array.of(0xef, 0xbb, 0xbf, 0x7b, 0x7d)],
    ["65 nested arrays", "depth", nested(65)],
    ["65 nested objects", "depth", '{"a":'.repeat(65) + "1" + "}".repeat(65)],
    ["a repeated member", "duplicate_key", '{"input":"a","input":"b"}'],
    ["a member repeated in an escape", "duplicate_key", String.raw`{"input":"a","\u0069nput":"b"}`],
    ["names that differ in lone surrogates only", "duplicate_key", String.raw`{"\ud800":1,"\udfff":2}`],
    ["__proto__", "forbidden_key", '{"metadata":{"__proto__":{"x":1}},"input":"a"}'],
    ["__proto__ in an escape", "forbidden_key", String.raw`{"\u005f_proto__":1}`],
    ["constructor", "forbidden_key", '[{"constructor":1}]'],
    ["prototype", "forbidden_key", '{"prototype":1}'],
    ["an overflow", "number_range", '{"input":"a","max_tool_iterations":1e999}'],
    ["a large integer", "number_range", "9007199254740992"],
    ["a small integer", "number_range", "-9007199254740992"],
    ["a large integer with an exponent", "number_range", "1e16"],
    ["a literal of 65 characters", "number_range", `0.${"1".repeat(63)}`],
    ["nothing", "syntax", ""],
    ["two values", "syntax", "1 2"],
    ["a trailing comma", "syntax", "[1,]"],
    ["a raw line break in a string", "syntax", '"a\nb"'],
    ["a bad escape", "syntax", String.raw`"\x41"`],
    ["a short unicode escape", "syntax", String.raw`"\u12"`],
    ["a leading zero", "syntax", "01"],
    ["an unfinished string", "syntax", '{"a":"b'],
    ["a name without quotes", "syntax", "{a:1}"],
    ["a no-break space", "syntax", "\u00a01"],
  ])("[SE57][SE58] %s: %s", (_name, reason, document) => {
    expect(judge(document)).toBe(reason);
  });

  test("[SE57] each limit holds exactly: the last allowed value passes, the next does not", () => {
    expect(judge(nested(64))).toBe("accepted");
    expect(judge(`[${Array(10_000).fill("0").join()}]`)).toBe("accepted");
    expect(judge(`[${Array(10_001).fill("0").join()}]`)).toBe("size");
    expect(judge(`[${Array(5000).fill('{"a":1}').join()}]`)).toBe("accepted");
    expect(judge(`[${Array(5001).fill('{"a":1}').join()}]`)).toBe("size");
    expect(judge(JSON.stringify({ ["😀".repeat(256)]: 1 }))).toBe("accepted");
    expect(judge(JSON.stringify({ ["😀".repeat(257)]: 1 }))).toBe("size");
    expect(judge(`{"${String.raw`\ud83d\ude00`.repeat(256)}":1}`)).toBe("accepted");
    expect(judge(`{"${String.raw`\ud83d\ude00`.repeat(257)}":1}`)).toBe("size");
    expect(judge(`0.${"1".repeat(62)}`)).toBe("accepted");
    expect(judge("[9007199254740991,-9007199254740991,1.5e-7,0.1]")).toBe("accepted");
  });

  test("[SE58] names of Object.prototype that are not forbidden are plain names", () => {
    expect(judge('{"toString":1,"hasOwnProperty":2,"__proto":3,"Constructor":4}')).toBe("accepted");
  });

  test("[SE57] any byte string gets a verdict, and no invalid UTF-8 passes", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 24 }), (bytes) => {
        const verdict = judge(bytes);
        expect(verdict === "utf8").toBe(!isUtf8(bytes) && verdict !== "bom");
      }),
      { numRuns: 2000 },
    );
  });
});
