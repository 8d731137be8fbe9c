/** Recovery: when a turn whose loop is gone is taken up again, and when it is given up. Rules: DU17–DU20, DU35. */
import type { RecoveryTries } from "../src/storage/recovery-store.ts";

/** Seconds to wait behind so many tries without progress. */
const backoffSecs = [0, 2, 10, 30, 60] as const;
const triesBeforeSeal = 6;
/** An object that cannot even boot with its turn would otherwise try, and pay, for ever. */
export const mostBoots = 3;

export type RecoveryPlan = { readonly kind: "now" | "seal" } | { readonly kind: "later"; readonly at: number };

/** Given up only when it was tried often enough and for long enough, so that a burst of restarts uses up nothing. */
export function planRecovery(
  { tries, triedAt = 0, progressAt }: RecoveryTries,
  { now, noProgressMs }: { readonly now: number; readonly noProgressMs: number },
): RecoveryPlan {
  if (tries >= triesBeforeSeal && now - progressAt >= noProgressMs) return { kind: "seal" };
  const at = triedAt + (backoffSecs[tries] ?? 60) * 1000;
  return at <= now ? { kind: "now" } : { kind: "later", at };
}

const resetMessages = [
  "code was updated",
  "has been upgraded",
  "Network connection lost",
  "no longer active",
  "exceeded its memory limit",
  "storage operation exceeded timeout",
];

/** The instance is being replaced: whoever goes on is the next one, and anything that this one still writes is in its way. */
export function isReset(error: unknown): boolean {
  if (typeof error !== "object" || error === null) return false;
  if ("durableObjectReset" in error && error.durableObjectReset === true) return true;
  const { message } = error as { readonly message?: unknown };
  return typeof message === "string" && resetMessages.some((part) => message.includes(part));
}
