/** Bounds of rendering surfaces, in code points: what is logged, traced or shown in passing is cut. Rules: RE28. */

export const MOST_FIELD_CHARS = 4096;
export const MOST_REASON_CHARS = 200;

/** Redact first: a cut must not leave half a secret. The result, ellipsis included, has at most `most` code points. */
export function boundField(text: string, most: number = MOST_FIELD_CHARS): string {
  if (text.length <= most) return text;
  // A character takes two code units at most, so this reads no more than it keeps.
  const points = Array.from(text.slice(0, 2 * (most + 1)));
  return points.length <= most ? text : `${points.slice(0, most - 1).join("")}…`;
}
