/** Mints ids from the platform's cryptographic randomness. Rules: SE16. */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
/** The largest multiple of 62 that a byte can reach: bytes from there on are drawn again, or some characters would come oftener. */
const fairBytes = 248;

/** `prefix` and 22 base62 characters: 131 random bits. */
export function mintId(prefix: "conv_" | "req_"): string {
  let text = "";
  while (text.length < 22) {
    for (const byte of crypto.getRandomValues(new Uint8Array(32))) {
      if (byte < fairBytes && text.length < 22) text += alphabet.charAt(byte % 62);
    }
  }
  return prefix + text;
}
