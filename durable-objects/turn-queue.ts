/** Turn queue: one turn at a time, in the order of acceptance. Rules: G12, LC28. */
import { findActiveTurn, findNextQueued } from "../src/storage/turn-store.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { runTurn, sealTurn } from "./turn-runner.ts";

export class TurnQueue {
  readonly #parts: ConversationParts;
  #running = false;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Starts the next turn if none runs; synchronous up to the turn's first await. */
  kick(): void {
    if (this.#running) return;
    const next = findNextQueued(this.#parts.store.sql);
    if (next === undefined) return;
    this.#running = true;
    const run = runTurn(this.#parts, next.turn).finally(() => {
      this.#running = false;
    });
    // A turn that could not start would be the next one again, for ever.
    this.#parts.keepAwake(run.then((ran) => (ran ? this.kick() : undefined)));
  }

  /** On boot nothing runs here yet, so a turn that the rows call running was cut off with an instance before this one. */
  recover(): void {
    const interrupted = findActiveTurn(this.#parts.store.sql);
    if (interrupted?.turn.state === "running") sealTurn(this.#parts, interrupted.turn, "recovery_exhausted");
    this.kick();
  }
}
