/** Request headers of tools: whose they are to set, which survive a redirect, which of an answer are shown. Rules: SE41–SE43. */

export type HeaderRecord = Readonly<Record<string, string>>;

const MODEL_HEADERS: ReadonlySet<string> = new Set([
  "accept",
  "accept-language",
  "content-type",
  "if-none-match",
  "if-modified-since",
  "range",
]);
const MOST_MODEL_VALUE_CHARACTERS = 2_048;

/** Framing and hop-by-hop (RFC 9110, section 7.6.1), identity, and whatever says who asked before us. */
const OUR_HEADERS: ReadonlySet<string> = new Set([
  "host",
  "cookie",
  "cookie2",
  "set-cookie",
  "content-length",
  "expect",
  "connection",
  "keep-alive",
  "proxy-connection",
  "proxy-authenticate",
  "proxy-authorization",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "forwarded",
  "via",
  "x-real-ip",
  "true-client-ip",
]);
const OUR_PREFIXES = /^(?:x-forwarded-|cf-)/;
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,128}$/;
const VALUE = /^[\x20-\x7e]*$/;
const MOST_VALUE_CHARACTERS = 8_192;

/** True when arguments of a call may set all of these. */
export function areModelHeaders(headers: HeaderRecord): boolean {
  return Object.entries(headers).every(
    ([name, value]) => MODEL_HEADERS.has(name.toLowerCase()) && isArgumentHeaderValue(value),
  );
}

/** True when an argument of a call may stand in a header. */
export const isArgumentHeaderValue = (value: string): boolean =>
  value.length <= MOST_MODEL_VALUE_CHARACTERS && VALUE.test(value);

/** `name` is in lower case. */
export const isToolHeaderName = (name: string): boolean =>
  NAME.test(name) && !OUR_HEADERS.has(name) && !OUR_PREFIXES.test(name);

const mayToolSet = (name: string, value: string): boolean =>
  isToolHeaderName(name) && value.length <= MOST_VALUE_CHARACTERS && VALUE.test(value);

/** The headers that a tool's own code asks for, by lower-case name, or nothing when one of them is not its to set. */
export function readToolHeaders(headers: HeaderRecord): ReadonlyMap<string, string> | undefined {
  const read = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return [...read].every(([name, value]) => mayToolSet(name, value)) ? read : undefined;
}

/** What may go on to another origin: neither credentials nor anything that configuration put there. */
export function keepAcrossOrigins(
  headers: ReadonlyMap<string, string>,
  configured: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => MODEL_HEADERS.has(name) && !configured.has(name)));
}

/** What a tool sees of an answer's headers. */
export function visibleHeaders(headers: Headers): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => name === "content-length" || !OUR_HEADERS.has(name)));
}
