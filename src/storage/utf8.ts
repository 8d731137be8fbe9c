/** UTF-8 both ways, and JSON over it: the form in which texts and bodies lie in the database. Rules: DU2. */

const encoder = new TextEncoder();
/** Keeps a leading U+FEFF, which a decoder drops by default: what was stored comes back. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** A lone surrogate becomes U+FFFD; texts are made well-formed before they come here. */
export function encodeUtf8(text: string): Uint8Array {
  return encoder.encode(text);
}

export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** JSON escapes lone surrogates, so any string survives in a body. */
export function encodeJson(value: object | number): Uint8Array {
  return encodeUtf8(JSON.stringify(value));
}

/** The caller names the shape, which it wrote itself: rows are never written by anyone else. */
export function decodeJson(bytes: Uint8Array): unknown {
  return JSON.parse(decodeUtf8(bytes));
}
