/** The redactor: takes secrets out of what people and outside systems read, and out of nothing else. Rules: RE20–RE27, SE69–SE71. */
import type { JsonObject, JsonValue } from "../contracts/json.ts";
import { redactConnectionPasswords, redactShapes } from "./credential-shapes.ts";
import { isCredentialKey, isTokenCount } from "./credential-keys.ts";
import { redactKeyWords, redactSchemes } from "./key-words.ts";
import { MARK } from "./marks.ts";
import { openContext } from "./open-context.ts";
import { createOwnSecrets } from "./own-secrets.ts";
import { createDeltaRedactor, type TextRedactor } from "./redact-deltas.ts";

/** `text` is linear in time and takes any text whatever. */
export interface Redactor extends TextRedactor {
  /** Whole values under credential keys, and everything secret in all other strings. */
  readonly value: (value: JsonValue) => JsonValue;
}

/** Receipts hold no secret and must be found by whoever reads an event (RE14). */
const RECEIPT = /zc-receipt-[0-9]{1,16}-[A-Za-z0-9_-]{43}/g;
const ONE_RECEIPT = new RegExp(`^${RECEIPT.source}$`);
/** Deeper than any request may be (SE57), and far less deep than the stack. */
const DEEPEST = 200;
/** Code units that one pattern looks at: its stack grows with every character of a long run. */
const MOST_AT_ONCE = 65_536;
const MOST_HELD = 16_384;

/** `secrets`: the values of all configured secrets; those under 8 characters are left alone. */
export function createRedactor({ secrets }: { readonly secrets: Iterable<string> }): Redactor {
  const own = createOwnSecrets(secrets);
  const redactPart = (part: string): string =>
    redactConnectionPasswords(redactKeyWords(redactShapes(redactSchemes(own.remove(part)))));
  const short: TextRedactor = {
    text: (text) => redactAround(text, redactPart),
    openFrom: (text) => {
      const settled = endOfReceipts(text);
      const rest = text.slice(settled);
      return settled + openContext(rest.slice(0, own.openFrom(rest)));
    },
  };
  const text = (whole: string): string => (whole.length <= MOST_AT_ONCE ? short.text(whole) : redactLong(whole, short));
  return { ...short, text, value: (value) => redactValue(value, text, 0) };
}

/** A long text is redacted like a stream of itself. */
function redactLong(text: string, short: TextRedactor): string {
  const deltas = createDeltaRedactor(short, MOST_HELD);
  const pieces: string[] = [];
  for (let at = 0; at < text.length; at += MOST_AT_ONCE) pieces.push(deltas.push(text.slice(at, at + MOST_AT_ONCE)));
  return pieces.join("") + deltas.end();
}

/** Receipts are never part of what is searched, so no rule can touch one. */
function redactAround(text: string, redactPart: (part: string) => string): string {
  let redacted = "";
  let kept = 0;
  for (const { index, 0: receipt } of text.matchAll(RECEIPT)) {
    redacted += redactPart(text.slice(kept, index)) + receipt;
    kept = index + receipt.length;
  }
  return redacted + redactPart(text.slice(kept));
}

/** No rule looks across a receipt, so all up to the last one is settled. */
function endOfReceipts(text: string): number {
  const last = Array.from(text.matchAll(RECEIPT)).at(-1);
  return last === undefined ? 0 : last.index + last[0].length;
}

function redactValue(value: JsonValue, redactText: (text: string) => string, depth: number): JsonValue {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return MARK;
  if (isList(value)) return value.map((item) => redactValue(item, redactText, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [
      redactText(key),
      isSecretMember(key, member) ? MARK : redactValue(member, redactText, depth + 1),
    ]),
  );
}

const isList = (value: readonly JsonValue[] | JsonObject): value is readonly JsonValue[] => Array.isArray(value);

function isSecretMember(key: string, member: JsonValue): boolean {
  if (!isCredentialKey(key)) return false;
  if (typeof member === "number" && isTokenCount(key)) return false;
  return !(typeof member === "string" && ONE_RECEIPT.test(member));
}
