/** The spellings in which a secret may come back from wherever it was sent. Rules: SE68. */

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Plain, JSON-escaped, percent-encoded, hex, base64 and base64url at each of three alignments; some may be equal. */
export function secretSpellings(secret: string): readonly string[] {
  const text = secret.toWellFormed();
  const bytes = utf8Bytes(text);
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, "0"));
  const json = JSON.stringify(text).slice(1, -1);
  const percent = encodeURIComponent(text);
  const everyByte = hex.map((pair) => `%${pair}`).join("");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    text,
    json,
    json.replaceAll("/", String.raw`\/`),
    json.replaceAll(/[^ -~]/g, escapeUnit),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    percent.replaceAll("%20", "+"),
    everyByte,
    everyByte.toUpperCase(),
    hex.join(""),
    hex.join("").toUpperCase(),
    ...base64,
    ...base64.map((spelling) => spelling.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

const escapeUnit = (unit: string): string => String.raw`\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;

function utf8Bytes(wellFormed: string): readonly number[] {
  const escaped = encodeURIComponent(wellFormed);
  return Array.from(escaped.matchAll(/%([0-9A-F]{2})|[^%]/g), ([character, hex]) =>
    hex === undefined ? character.charCodeAt(0) : Number.parseInt(hex, 16),
  );
}

/**
 * The characters that base64 always has for these bytes when `offset` bytes (mod 3) come before them, whatever stands on
 * either side: characters that share bits with a neighbour are left off.
 */
function base64At(bytes: readonly number[], offset: number): string {
  const bits = [...Array.from({ length: offset }, () => 0), ...bytes]
    .map((byte) => byte.toString(2).padStart(8, "0"))
    .join("");
  const whole = bits.slice(0, bits.length - (bits.length % 6));
  const text = whole.replaceAll(/[01]{6}/g, (six) => BASE64.charAt(Number.parseInt(six, 2)));
  return text.slice(Math.ceil((offset * 8) / 6));
}
