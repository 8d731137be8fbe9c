/** Open contexts: what a text ends in that more text may turn into a secret, which is why a delta is held back. Rules: SE70. */
import { isCredentialKey } from "./credential-keys.ts";
import { endOfQuoted } from "./key-words.ts";

/** How far back is looked; a private key fits in. */
const WINDOW = 4096;
const WHITE_SPACE = /\s/;
const WORD = /(?<![A-Za-z0-9_-])[A-Za-z0-9_-]+/g;
/** Behind a key: no value yet, or one whose end has not come. */
const OPEN_VALUE = /^\\?["']?\s*(?:[:=]=?>?\s*\\?["']?(?:(?:bearer|basic)\\?["']?\s+\\?["']?)?\S*)?$/i;
const OPEN_SCHEME = /^\\?["']?\s*\\?["']?\S*$/;
const QUOTED_VALUE = /^\\?["']?\s*[:=]=?>?\s*(\\?["'])/;
const OPEN_LINE = /^\\?["']?\s*[:=][^\r\n]*$/;
/** By their ends alone: once a credential in front of it is redacted, the rest of a word is a word. */
const COOKIE = /cookie$/i;
const SCHEME = /(?:bearer|basic)$/i;
const AUTH = /auth$/i;
/** The first line of a private key, as far as it has come, or a block without its last line. */
const OPEN_PRIVATE_KEY =
  /-----BEGIN(?: [A-Z ]{0,44}-{0,5}|[A-Z ]{0,33}PRIVATE KEY-----(?:(?!-----END [A-Z ]{0,32}-----)[^])*)?$/;

/** Index in `text`: what stands before it is settled, whatever comes. White space, or the start of the text. */
export function openContext(text: string): number {
  const from = Math.max(0, text.length - WINDOW);
  const window = text.slice(from);
  const word = Array.from(window.matchAll(WORD)).find(({ 0: found, index }) =>
    isOpen(found, window.slice(index + found.length)),
  );
  const key = findOpenPrivateKey(window);
  const open = Math.min(word?.index ?? window.length, key < 0 ? window.length : key);
  const space = lastWhiteSpace(window.slice(0, open));
  return space < 0 ? 0 : from + space;
}

/** −1 when no private key is open. */
export const findOpenPrivateKey = (text: string): number => text.search(OPEN_PRIVATE_KEY);

function isOpen(word: string, rest: string): boolean {
  if (SCHEME.test(word) && OPEN_SCHEME.test(rest)) return true;
  if (!isCredentialKey(word) && !AUTH.test(word)) return false;
  if (OPEN_VALUE.test(rest) || (COOKIE.test(word) && OPEN_LINE.test(rest))) return true;
  const [joined, quote] = QUOTED_VALUE.exec(rest) ?? [];
  return joined !== undefined && quote !== undefined && endOfQuoted(rest, joined.length, quote) < 0;
}

/** −1 when there is none. What joins on to a secret without white space may be part of another one. */
function lastWhiteSpace(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && !WHITE_SPACE.test(text.charAt(at))) at -= 1;
  return at;
}
