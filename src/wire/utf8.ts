/** UTF-8 without a platform: validity, decoding of short pieces. Rules: SE57. */

/**
 * True for well-formed UTF-8 (Unicode 15, table 3-7): no overlong form, no surrogate, nothing above U+10FFFF, no cut sequence.
 */
export function isValidUtf8(bytes: Uint8Array): boolean {
  const end = bytes.length;
  let at = 0;
  while (at < end) {
    const lead = bytes[at] ?? 0;
    if (lead < 0x80) {
      at += 1;
      continue;
    }
    const width = sequenceWidth(lead, bytes[at + 1] ?? 0);
    if (width === 0 || at + width > end) return false;
    for (let next = at + 2; next < at + width; next += 1) {
      if (!isContinuation(bytes[next] ?? 0)) return false;
    }
    at += width;
  }
  return true;
}

/** Bytes of the sequence that begins with these two, 0 if none does: the second byte's range depends on the first. */
function sequenceWidth(lead: number, second: number): 0 | 2 | 3 | 4 {
  if (!isContinuation(second)) return 0;
  if (lead >= 0xc2 && lead <= 0xdf) return 2;
  if (lead >= 0xe0 && lead <= 0xef) {
    const overlong = lead === 0xe0 && second < 0xa0;
    const surrogate = lead === 0xed && second > 0x9f;
    return overlong || surrogate ? 0 : 3;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    const overlong = lead === 0xf0 && second < 0x90;
    const beyond = lead === 0xf4 && second > 0x8f;
    return overlong || beyond ? 0 : 4;
  }
  return 0;
}

const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Text of bytes already known to be valid; meant for names, not for bodies. */
export function decodeValidUtf8(bytes: Uint8Array): string {
  let text = "";
  let at = 0;
  while (at < bytes.length) {
    const lead = bytes[at] ?? 0;
    const width = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    let codePoint = width === 1 ? lead : lead & (0x7f >> width);
    for (let next = at + 1; next < at + width; next += 1) codePoint = (codePoint << 6) | ((bytes[next] ?? 0) & 0x3f);
    text += String.fromCodePoint(codePoint);
    at += width;
  }
  return text;
}
