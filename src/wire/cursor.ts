/** Cursors of the event log: a decimal `seq`, from a header or a query. Rules: DU29, SS5. */
import type { Problem } from "../contracts/errors.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";

/** `undefined` when the text is no cursor: signs, leading zeros, exponents and integers beyond 2^53 − 1 are none. */
export function decodeCursor(text: string): number | undefined {
  if (!/^(?:0|[1-9][0-9]{0,15})$/.test(text)) return undefined;
  const seq = Number(text);
  return Number.isSafeInteger(seq) ? seq : undefined;
}

/** Where a reader stands. The header wins, because a reconnecting EventSource repeats its first URL; empty, it is absent. */
export function resolveCursor(given: {
  readonly lastEventId: string | undefined;
  readonly after: string | undefined;
}): Result<number | undefined, Problem> {
  const text = given.lastEventId === undefined || given.lastEventId === "" ? given.after : given.lastEventId;
  if (text === undefined) return succeed(undefined);
  const seq = decodeCursor(text);
  return seq === undefined ? failWith(invalidCursor) : succeed(seq);
}

const invalidCursor: Problem = {
  slug: "invalid-cursor",
  detail: "The cursor is not the seq of an event of this conversation.",
};
