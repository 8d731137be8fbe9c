/** Takes our own secrets out of text composed from a provider's failures, in every spelling they may come back in. Rules: SE68. */

const MARK = "[REDACTED:own]";
/** Anything shorter would hit ordinary words. */
const SHORTEST_SECRET = 8;
const MOST_CHARS = 500;

/** The returned function also bounds what it cleaned to 500 code points, in that order, so that no cut leaves half a secret. */
export function createMessageCleaner(secrets: Iterable<string>): (text: string) => string {
  const spellings = new Set([...secrets].filter(({ length }) => length >= SHORTEST_SECRET).flatMap(spellingsOf));
  const longestFirst = [...spellings].toSorted((one, other) => other.length - one.length);
  return (text) => {
    const cleaned = longestFirst.reduce((rest, spelling) => rest.replaceAll(spelling, MARK), text.toWellFormed());
    const points = [...cleaned];
    return points.length <= MOST_CHARS ? cleaned : `${points.slice(0, MOST_CHARS).join("")}…`;
  };
}

function spellingsOf(secret: string): string[] {
  const bytes = new TextEncoder().encode(secret);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0"));
  const json = JSON.stringify(secret).slice(1, -1);
  const percent = encodeURIComponent(secret);
  const everyByte = hex.map((pair) => `%${pair}`).join("");
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset));
  return [
    secret,
    json,
    json.replaceAll("/", String.raw`\/`),
    percent,
    percent.replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
    everyByte,
    everyByte.toUpperCase(),
    hex.join(""),
    hex.join("").toUpperCase(),
    ...base64,
    ...base64.map((text) => text.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/**
 * The characters that base64 always has for these bytes when `offset` bytes (mod 3) come before them,
 * whatever stands on either side: characters that share bits with a neighbour are left off.
 */
function base64At(bytes: Uint8Array, offset: number): string {
  const binary = String.fromCharCode(...new Uint8Array(offset), ...bytes);
  const text = btoa(binary).replace(/=+$/, "");
  const sharedAtStart = Math.ceil((offset * 8) / 6);
  const sharedAtEnd = binary.length % 3 === 0 ? 0 : 1;
  return text.slice(sharedAtStart, text.length - sharedAtEnd);
}
