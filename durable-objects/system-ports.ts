/** System ports of an object: the platform's clock, chance, digests, timers and log, as the core wants them. Rules: SE73, SE94. */
import type { SystemPorts } from "../src/contracts/ports.ts";
import { digestBytes } from "../src/receipts/digest.ts";

/** Above this the platform's digest is faster than ours, although it is a promise. */
const SMALL_BYTES = 4096;

export const systemPorts: SystemPorts = {
  now: () => Date.now(),
  uuid: () => crypto.randomUUID(),
  digest: (bytes) => (bytes.length <= SMALL_BYTES ? digestBytes(bytes) : digestLarge(bytes)),
  createCancelScope: () => {
    const controller = new AbortController();
    return { signal: controller.signal, cancel: () => controller.abort() };
  },
  startTimer: (ms, act) => {
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
  log: (level, code, fields) => console[level](JSON.stringify({ level, code, ...fields })),
};

async function digestLarge(bytes: Uint8Array): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
