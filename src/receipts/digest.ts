/** Digests: lower-case hex SHA-256 of bytes, text, JSON. Rules: RE3, RE6, CP21. */
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import type { JsonValue } from "../contracts/json.ts";
import { canonicalJson } from "./canonical-json.ts";

/**
 * UTF-8 of well-formed text. Throws on a lone surrogate: an encoder would turn it into U+FFFD, and two texts would
 * share one digest.
 */
export function utf8(text: string): Uint8Array {
  if (!text.isWellFormed()) throw new TypeError("text with a lone surrogate cannot be digested");
  return utf8ToBytes(text);
}

/** Synchronous, about 15 ms a megabyte: for larger inputs there is the platform's `DigestPort`. */
export const digestBytes = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

export const digestText = (text: string): string => digestBytes(utf8(text));

/** Of the canonical form, so that neither member order nor white space matters. */
export const digestJson = (value: JsonValue): string => digestText(canonicalJson(value));
