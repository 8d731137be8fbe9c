/** The way to the observer: records get the context of their turn, and nothing that it does changes the turn. Rules: EV10, EV12. */
import type { ObserverContext, ObserverRecord } from "../../contracts/observer.ts";
import { type ToolLoop, eventContext } from "./turn-context.ts";

/** A record without what all records of a turn have in common. */
export type ObserverRecordBody = WithoutContext<ObserverRecord>;
type WithoutContext<Each> = Each extends ObserverContext ? Omit<Each, keyof ObserverContext> : never;

/** The record is made only if somebody watches. An observer that throws is logged. */
export function observe(loop: ToolLoop, describe: () => ObserverRecordBody): void {
  const { observe: watch, ports } = loop.execution;
  if (watch === undefined) return;
  try {
    watch({ ...eventContext(loop), ...describe() });
  } catch {
    ports.log("warn", "observer_failed", { turn: loop.identity.turn });
  }
}
