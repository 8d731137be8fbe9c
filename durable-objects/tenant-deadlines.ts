/** Deadlines of a tenant that are due: each is dealt with on its own, and nothing that fails stops the next. Rules: DU24–DU26. */
import type { LogPort } from "../src/contracts/ports.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { type Deadline, listDue, postponeDeadline, removeDeadline } from "../src/storage/tenant/deadline-store.ts";
import { meetDeadline } from "../src/storage/tenant/meet-deadline.ts";

export interface DeadlineParts {
  readonly sql: SqlPort;
  readonly now: () => number;
  /** Removes all that a deleted conversation has stored; once more does no harm. */
  readonly erase: (conversation: string) => Promise<void>;
  readonly log: LogPort;
}

/** Rejects only when the list itself cannot be read. */
export async function meetDue(parts: DeadlineParts): Promise<void> {
  await Promise.all(listDue(parts.sql, parts.now()).map((deadline) => attempt(parts, deadline)));
}

async function attempt(parts: DeadlineParts, deadline: Deadline): Promise<void> {
  const { sql, now, log } = parts;
  try {
    await meet(parts, deadline);
  } catch (error) {
    const { kind, tries } = deadline;
    const parked = sql.transaction(() => postponeDeadline(sql, deadline, now()));
    log(parked ? "error" : "warn", parked ? "deadline_parked" : "deadline_failed", {
      kind,
      tries,
      error: String(error),
    });
  }
}

async function meet({ sql, now, erase }: DeadlineParts, deadline: Deadline): Promise<void> {
  if (deadline.kind === "erase") {
    await erase(deadline.ref);
    removeDeadline(sql, deadline);
  } else sql.transaction(() => meetDeadline(sql, deadline, now()));
}
