/** Looks into JSON that nobody has validated yet. */
export type JsonRecord = { readonly [member: string]: unknown };

/** Undefined when the text is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
