/** Receipt scope: derives the key that signs for one conversation or turn, keeps it in memory only. Rules: RE2, RE8, SE12. */
import { hkdf } from "@noble/hashes/hkdf.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";
import type { ReceiptKeys, ReceiptScope } from "../contracts/receipt.ts";
import { utf8 } from "./digest.ts";

const KEY_BYTES = 32;
const MOST_CACHED = 64;

/** HMAC-SHA256 under one key. */
export type MakeTag = (message: Uint8Array) => Uint8Array;

/** The keys of a deployment as one object or isolate uses them. */
export interface ScopeKeys {
  /** The kid that signs. */
  readonly active: string;
  /** `undefined` when the deployment does not hold that kid (any more). */
  tagFor(kid: string, scope: ReceiptScope): MakeTag | undefined;
}

/** Four bytes of big-endian length, then UTF-8: concatenations of these are unambiguous whatever the text holds. */
export function lengthPrefixed(text: string): Uint8Array {
  const bytes = utf8(text);
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, bytes.length);
  return concatBytes(length, bytes);
}

/** HKDF-SHA256 (RFC 5869). */
export function deriveKey(master: Uint8Array, info: Uint8Array): Uint8Array {
  return hkdf(sha256, master, utf8("countersign"), info, KEY_BYTES);
}

/** The salt comes last and has a fixed length, so it needs no prefix. */
function scopeInfo({ tenant, scopeId, salt }: ReceiptScope): Uint8Array {
  return concatBytes(lengthPrefixed("receipt/v1"), lengthPrefixed(tenant), lengthPrefixed(scopeId), salt);
}

/** Both inner and outer pad are absorbed once; a tag then costs the message's own blocks (RFC 2104 section 4). */
export function createTagger(key: Uint8Array): MakeTag {
  const padded = hmac.create(sha256, key);
  return (message) => padded.clone().update(message).digest();
}

/** Taggers are kept by everything their key depends on, the salt too: an erased and remade scope never meets an old key. */
export function createScopeKeys({ active, masters }: ReceiptKeys): ScopeKeys {
  if (!masters.has(active)) throw new Error("the signing key is not among the master keys");
  const taggers = new Map<string, MakeTag>();
  return {
    active,
    tagFor(kid, scope) {
      const master = masters.get(kid);
      if (master === undefined) return undefined;
      const info = scopeInfo(scope);
      const id = `${kid} ${bytesToHex(info)}`;
      const known = taggers.get(id);
      if (known !== undefined) return known;
      const tagger = createTagger(deriveKey(master, info));
      const oldest = taggers.size >= MOST_CACHED ? taggers.keys().next().value : undefined;
      if (oldest !== undefined) taggers.delete(oldest);
      taggers.set(id, tagger);
      return tagger;
    },
  };
}
