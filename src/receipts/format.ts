/** Receipt format: the token's one spelling, its line under a result, its shape in free text. Rules: RE4, RE5, RE10, RE14. */
import { decodeBase64url, encodeBase64url } from "./base64url.ts";

export const TAG_BYTES = 32;

const TOKEN = /^zc-receipt-(0|[1-9]\d{0,15})-([A-Za-z0-9_-]{43})$/;

/**
 * Whatever calls itself a receipt in free text. A true tag never ends in `-` or `_` (its last character carries four bits),
 * so those are left to the prose or markup around it.
 */
const RECEIPT_SHAPED = /zc-receipt-[A-Za-z0-9_-]*[A-Za-z0-9]/gi;

export interface ReceiptToken {
  /** Epoch seconds. */
  readonly at: number;
  /** 32 bytes. */
  readonly tag: Uint8Array;
}

export function formatReceiptToken({ at, tag }: ReceiptToken): string {
  if (!Number.isSafeInteger(at) || at < 0) throw new RangeError("a receipt's time is whole epoch seconds");
  if (tag.length !== TAG_BYTES) throw new RangeError("a receipt's tag has 32 bytes");
  return `zc-receipt-${at}-${encodeBase64url(tag)}`;
}

/** `undefined` for anything but the spelling that `formatReceiptToken` gives. */
export function parseReceiptToken(token: string): ReceiptToken | undefined {
  const [, seconds = "", encoded = ""] = TOKEN.exec(token) ?? [];
  const at = Number(seconds);
  const tag = decodeBase64url(encoded);
  return tag?.length === TAG_BYTES && Number.isSafeInteger(at) ? { at, tag } : undefined;
}

export interface ShownResult {
  /** Bounded. */
  readonly shown: string;
  readonly receipt?: { readonly token: string };
}

/** What the model sees of a result: its bounded text, then the line of its receipt, if it has one. */
export const withReceiptLine = ({ shown, receipt }: ShownResult): string =>
  receipt === undefined ? shown : `${shown}\n\n[receipt: ${receipt.token}]`;

/** A model-visible result as it was before its receipt line; one without such a line as it is. */
export const withoutReceiptLine = (text: string): string =>
  text.replace(/\n\n\[receipt: zc-receipt-\d+-[A-Za-z0-9_-]{43}\]$/, "");

/** Every receipt-shaped run of a text, in order, true or not. */
export function findReceiptTokens(text: string): readonly string[] {
  return Array.from(text.matchAll(RECEIPT_SHAPED), ([token]) => token);
}

/** `replace` gets each receipt-shaped run and gives what stands in its place. */
export function replaceReceiptTokens(text: string, replace: (token: string) => string): string {
  return text.replace(RECEIPT_SHAPED, replace);
}
