/** Money in whole nano-dollars: what floats would lose, and what is no amount at all. Rules: SE84, SE85. */

const nanosPerDollar = 1_000_000_000;

/** Rounded up, so that nothing is ever free by rounding. `undefined` for what is not finite, negative, or over nine million dollars. */
export function toNanos(usd: number | undefined): number | undefined {
  if (usd === undefined || typeof usd !== "number" || !(usd >= 0)) return undefined;
  const nanos = Math.ceil(Number((usd * nanosPerDollar).toPrecision(15)));
  return Number.isSafeInteger(nanos) ? nanos : undefined;
}

export const toUsd = (nanos: number): number => nanos / nanosPerDollar;
