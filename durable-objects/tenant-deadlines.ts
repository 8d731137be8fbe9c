/** The tenant's alarm: what is due is done, each on its own, and nothing that fails stops the next. Rules: DU23–DU26. */
import type { LogPort } from "../src/contracts/ports.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import {
  type Deadline,
  findNextDeadline,
  listDue,
  postponeDeadline,
  removeDeadline,
} from "../src/storage/tenant/deadline-store.ts";
import { meetDeadline } from "../src/storage/tenant/meet-deadline.ts";

/** Milliseconds until the alarm rings again if this run dies before it has armed the next one. */
const deadManMs = 60_000;

export interface AlarmParts {
  readonly sql: SqlPort;
  readonly now: () => number;
  /** Epoch milliseconds; `undefined` takes the alarm away. Inside a transaction it goes with the rows. */
  readonly setAlarm: (at: number | undefined) => void;
  /** Removes all that a deleted conversation has stored; once more does no harm. */
  readonly erase: (conversation: string) => Promise<void>;
  readonly log: LogPort;
}

/** Never throws and never rejects: a handler that does is dropped for ever after a few tries. */
export async function runAlarm(parts: AlarmParts): Promise<void> {
  const { sql, now, setAlarm, log } = parts;
  try {
    setAlarm(now() + deadManMs);
    await Promise.all(listDue(sql, now()).map((deadline) => attempt(parts, deadline)));
    armNext(parts);
  } catch (error) {
    log("error", "tenant_alarm_failed", { error: String(error) });
  }
}

/** Arms the alarm for the earliest of what is waited for. */
export const armNext = ({ sql, setAlarm }: Pick<AlarmParts, "sql" | "setAlarm">): void =>
  setAlarm(findNextDeadline(sql));

async function attempt(parts: AlarmParts, deadline: Deadline): Promise<void> {
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

async function meet({ sql, now, erase }: AlarmParts, deadline: Deadline): Promise<void> {
  if (deadline.kind === "erase") {
    await erase(deadline.ref);
    removeDeadline(sql, deadline);
  } else sql.transaction(() => meetDeadline(sql, deadline, now()));
}
