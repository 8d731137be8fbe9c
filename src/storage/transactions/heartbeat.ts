/** The deadline of a turn that runs: while its loop lives it is put off, and once it does not the turn is taken up again. Rules: G2, G10, DU5, DU18, DU45. */
import { moveDeadline, removeDeadline } from "../deadline-store.ts";
import type { StoreContext } from "../store-context.ts";

type Running = { readonly id: string };

/** Milliseconds between two looks at a running turn. */
export const heartbeatMs = 30_000;

const nextBeat = (context: StoreContext): number => context.now() + (context.heartbeatMs ?? heartbeatMs);

/** For use inside every transaction that sets a turn running. */
export const beginHeartbeat = (context: StoreContext, { id }: Running): void =>
  moveDeadline(context, { kind: "heartbeat", ref: id, at: nextBeat(context) });

/** For use inside every transaction behind which it does not run any more. */
export const endHeartbeat = (context: StoreContext, { id }: Running): void =>
  removeDeadline(context, { kind: "heartbeat", ref: id });

/** Its loop lives, or is to be looked for at another time. */
export function putOffHeartbeat(context: StoreContext, { id }: Running, at = nextBeat(context)): void {
  context.sql.transaction(() => moveDeadline(context, { kind: "heartbeat", ref: id, at }));
}
