/** Sizes of text in UTF-8, without a platform to encode it. Rules: LC22, AP15, SE57. */

/** Bytes that a text takes in UTF-8; a lone surrogate counts as half a pair. */
export function countUtf8(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at += 1) count += unitBytes(text.charCodeAt(at));
  return count;
}

/** Of one UTF-16 code unit: each half of a surrogate pair stands for two of its four bytes. */
export const unitBytes = (unit: number): number =>
  unit < 0x80 ? 1 : unit < 0x800 || (unit & 0xf800) === 0xd800 ? 2 : 3;
