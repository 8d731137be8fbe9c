/** Random ids and secrets in letters and digits. */
import { randomInt } from "node:crypto";

const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/** Each character carries 5.95 bits: 22 are 130 bits, 43 are 256. */
export function randomBase62(length: number): string {
  return Array.from({ length }, () => digits.charAt(randomInt(digits.length))).join("");
}
