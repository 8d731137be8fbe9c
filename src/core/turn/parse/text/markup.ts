/** Markup: the tags that open and close a call, spelled exactly. Rules: TP18, TP19, and the words of `text-protocol.md`. */

const TAGS = [
  "tool_call",
  "tool_calls",
  "toolcall",
  "tool-call",
  "tools",
  "invoke",
  "minimax:tool_call",
  "minimax:toolcall",
] as const;

/** Any plain tag; its name is the first group. */
export const PLAIN_TAG = new RegExp(`<(${TAGS.join("|")})>`, "g");
export const CLOSE_TAG = new RegExp(`</(?:${TAGS.join("|")})>`, "g");
/** The same as the start of a larger pattern. */
export const CLOSE_TAG_SOURCE = CLOSE_TAG.source;

const OWN_CLOSE: ReadonlyMap<string, RegExp> = new Map(TAGS.map((tag) => [tag, new RegExp(`</${tag}>`, "g")]));

export function closeTagOf(tag: string): RegExp {
  return OWN_CLOSE.get(tag) ?? CLOSE_TAG;
}

/** An opening `<invoke …>` with at least one attribute. */
export const ATTRIBUTED_INVOKE = /<invoke\s([^<>]*)>/gi;
export const INVOKE_CLOSE = /<\/invoke>/gi;
export const PARAMETER = /<parameter\s([^<>]*)>/gi;
export const PARAMETER_CLOSE = /<\/parameter>/gi;

/** Value of the `name` attribute, in either kind of quotes. */
export function nameAttribute(attributes: string): string | undefined {
  const found = /(?:^|[\s"'])name\s*=\s*(?:"([^"]*)"|'([^']*)')/i.exec(attributes);
  return found === null ? undefined : (found[1] ?? found[2]);
}
