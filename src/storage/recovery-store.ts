/** How often a running turn was taken over, and whether it got on in between; how often its object failed to boot with it. Rules: DU17, DU19. */
import { insertRow, numberAt, optionalNumberAt, updateRows } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import type { HeldTurn } from "./store-context.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

/** Events that show that a turn got on: it began, was answered, a call ended, somebody decided. */
const progressTypes = "('turn_started', 'turn_resumed', 'usage', 'tool_result', 'approval_decided')";

export interface RecoveryTries {
  /** Since it last got on. */
  readonly tries: number;
  /** When the last of them was made, in epoch milliseconds; absent before the first. */
  readonly triedAt?: number;
  /** When it last got on. */
  readonly progressAt: number;
}

export function readTries(sql: SqlPort, n: number): RecoveryTries {
  const [row] = sql.all(
    `SELECT tries, tried_ms, coalesce(tried_seq, 0) AS tried_seq, p.seq AS seq, coalesce(p.at_ms, accepted_ms) AS at_ms
     FROM turns t LEFT JOIN events p
       ON p.seq = (SELECT max(seq) FROM events e WHERE e.turn = t.n AND e.type IN ${progressTypes})
     WHERE t.n = ?`,
    n,
  );
  if (row === undefined) return { tries: 0, progressAt: 0 };
  const moved = (optionalNumberAt(row, "seq") ?? 0) > numberAt(row, "tried_seq");
  const triedAt = optionalNumberAt(row, "tried_ms");
  const tries = moved ? 0 : numberAt(row, "tries");
  return { tries, progressAt: numberAt(row, "at_ms"), ...(triedAt === undefined ? {} : { triedAt }) };
}

/** The turn is this writer's from now on, and nobody else's. Answers the new attempt. */
export function takeOver(
  sql: SqlPort,
  { n, attempt }: HeldTurn,
  { at, lastSeq }: { at: number; lastSeq: number },
): number {
  const { tries } = readTries(sql, n);
  const set = { attempt: attempt + 1, tries: tries + 1, tried_ms: at, tried_seq: lastSeq };
  updateRows(sql, { table: "turns", set, where: { n, attempt } });
  return attempt + 1;
}

const bootFailures = "boot_failures";

/** Boots with a running turn that have not come to their end, this one counted. */
export function countBoot(sql: SqlPort): number {
  return sql.transaction(() => {
    const [row] = sql.all("SELECT v FROM meta WHERE k = ?", bootFailures);
    const count = row?.["v"] instanceof Uint8Array ? (decodeJson(row["v"]) as number) + 1 : 1;
    sql.run("DELETE FROM meta WHERE k = ?", bootFailures);
    insertRow(sql, "meta", { k: bootFailures, v: encodeJson(count) });
    return count;
  });
}

export function clearBoots(sql: SqlPort): void {
  sql.run("DELETE FROM meta WHERE k = ?", bootFailures);
}
