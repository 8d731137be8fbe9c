/** What a due deadline does to the rows; the erasure of a conversation is the object's own business. Rules: DU24, DU42, DU45. */
import type { SqlPort } from "../sql-port.ts";
import { type Deadline, splitRef } from "./deadline-store.ts";
import { lapseReservation } from "./reservation-store.ts";
import { sweep } from "./sweep.ts";
import { forgetAdmission } from "./turn-roster.ts";

/** For use in a transaction of its own. Throws for a kind or reference that this release cannot read. */
export function meetDeadline(sql: SqlPort, { kind, ref }: Deadline, now: number): void {
  switch (kind) {
    case "lease":
      return lapseReservation(sql, splitRef(ref));
    case "admission": {
      const { conversation, id } = splitRef(ref);
      return forgetAdmission(sql, { conversation, turn: id });
    }
    case "sweep":
      return sweep(sql, now);
    case "erase":
      throw new Error("an erasure is not for the rows to do");
    default:
      throw new Error(`no deadline is called ${String(kind satisfies never)}`);
  }
}
