/** Grammar of the ids that come in from outside: exact bytes, nothing trimmed or folded. Rules: SE16. */

const grammar = {
  conversation: /^[A-Za-z0-9_-]{16,64}$/,
  turn: /^[A-Za-z0-9_-]{1,64}$/,
  approval: /^[A-Za-z0-9_-]{1,64}$/,
  call: /^[A-Za-z0-9_-]{1,64}$/,
  token: /^zc-receipt-[0-9]{1,16}-[A-Za-z0-9_-]{43}$/,
} as const;

export type IdKind = keyof typeof grammar;

export const isIdKind = (kind: string): kind is IdKind => Object.hasOwn(grammar, kind);

/** What fails here is answered like an id that does not exist, before an object wakes. */
export const isId = (kind: IdKind, text: string): boolean => grammar[kind].test(text);
