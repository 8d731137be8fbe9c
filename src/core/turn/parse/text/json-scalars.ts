/** JSON scalars: where a string, number or literal that begins at a place ends. Rules: TP7. */

/** No value of the asked kind begins there. Ends are never negative. */
export const NONE = -1;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const LITERAL = /true|false|null/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})/y;

/** JSON's own four kinds of space, fewer than `trim` knows. */
export function skipSpace(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at;
    at += 1;
  }
}

export function scalarEnd(text: string, at: number): number {
  if (text.charCodeAt(at) === QUOTE) return stringEnd(text, at);
  const literal = matchEnd(LITERAL, text, at);
  return literal === NONE ? numberEnd(text, at) : literal;
}

export function stringEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== QUOTE) return NONE;
  let next = at + 1;
  for (;;) {
    const code = text.charCodeAt(next);
    if (code === QUOTE) return next + 1;
    // A raw control character, or NaN behind the last character.
    if (!(code >= 0x20)) return NONE;
    next = code === BACKSLASH ? matchEnd(ESCAPE, text, next) : next + 1;
    if (next === NONE) return NONE;
  }
}

function numberEnd(text: string, at: number): number {
  const end = matchEnd(NUMBER, text, at);
  return end !== NONE && Number.isFinite(Number(text.slice(at, end))) ? end : NONE;
}

function matchEnd(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : NONE;
}
