/** Turn queue: one turn at a time, in the order of acceptance; what runs can be cancelled, what waited goes on. Rules: G11, G12, LC28, CK6, CK13, DU17, DU18, T17. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import { frameSeal } from "../src/core/turn/end-open-call.ts";
import { clearBoots, countBoot } from "../src/storage/recovery-store.ts";
import { putOffHeartbeat } from "../src/storage/transactions/heartbeat.ts";
import { recoverTurn } from "../src/storage/transactions/recover-turn.ts";
import { resumeForCancel } from "../src/storage/transactions/resume-for-cancel.ts";
import { type StoredTurn, findActiveTurn, findNextQueued } from "../src/storage/turn-store.ts";
import type { ConversationParts } from "./conversation-parts.ts";
import { settleDrift } from "./definition-drift.ts";
import { isReset, mostBoots } from "./recovery.ts";
import { systemPorts } from "./system-ports.ts";
import { goOn, planTakeUp, runTurn, sealBug, sealTurn } from "./turn-runner.ts";

/** Runs a turn; false when it turned out that there was nothing to run. */
type Run = (parts: ConversationParts, turn: TurnRecord, cancel: AbortSignal) => Promise<boolean>;

export class TurnQueue {
  readonly #parts: ConversationParts;
  #running: { readonly turn: string; readonly cancel: AbortController } | undefined;

  /** The turn whose run failed last. */
  #failed: string | undefined;

  constructor(parts: ConversationParts) {
    this.#parts = parts;
  }

  /** Starts the next turn if none runs; synchronous up to the turn's first await. */
  kick(): void {
    const next = this.#running === undefined ? findNextQueued(this.#parts.store.sql) : undefined;
    if (next !== undefined) this.#run(next.turn, runTurn);
  }

  /** Takes up a turn that the rows have just set running again. */
  resume(turn: TurnRecord): void {
    this.#run(turn, goOn);
  }

  /** After a verb that may have marked a turn for cancelling: a running one is stopped, a suspended one taken up to be closed. */
  settle(): void {
    const open = findActiveTurn(this.#parts.store.sql);
    if (open?.cancelAsked !== true) return this.kick();
    if (this.#running !== undefined) return this.#running.cancel.abort();
    const { turn } = open;
    if (turn.state === "running") return this.#takeUp(open);
    if (resumeForCancel({ ...this.#parts.store, turn })) this.#run(turn, goOn, AbortSignal.abort());
  }

  /**
   * On boot nothing runs here yet. A turn that the rows call running is taken up, unless boots with it have failed so often that
   * the next one would fail, too.
   */
  boot(): void {
    const { sql } = this.#parts.store;
    const open = findActiveTurn(sql);
    if (open?.turn.state !== "running") return this.#wait();
    if (countBoot(sql) < mostBoots) this.#takeUp(open);
    else this.#giveUp(open.turn);
    clearBoots(sql);
  }

  /** Nothing runs. What waits may have been asked under definitions that are gone. */
  #wait(): void {
    const resumed = settleDrift(this.#parts);
    return resumed === undefined ? this.settle() : this.resume(resumed);
  }

  /** The alarm looks after a turn that the rows call running: either its loop is here, or it was lost with its instance. */
  beat(id: string): void {
    const { store } = this.#parts;
    const open = findActiveTurn(store.sql);
    if (this.#running?.turn === id) putOffHeartbeat(store, { id });
    else if (open?.turn.id === id && open.turn.state === "running") this.#takeUp(open);
  }

  /** One that cannot even be taken up is ended, or it would be tried for ever. */
  #takeUp(stored: StoredTurn): void {
    try {
      this.#takeUpOrWait(stored);
    } catch (error) {
      if (!sealBug(this.#parts, stored.turn, error)) throw error;
      this.kick();
    }
  }

  /** Now, at a later time, or for the last time. To close one that was cancelled costs nothing, so that never waits (G11). */
  #takeUpOrWait({ turn, cancelAsked }: StoredTurn): void {
    const { store } = this.#parts;
    const plan = planTakeUp(this.#parts, turn);
    if (plan.kind === "later" && !cancelAsked) return putOffHeartbeat(store, turn, plan.at);
    if (plan.kind === "seal") return this.#giveUp(turn);
    const recovered = recoverTurn({ ...store, turn }, frameSeal);
    if (recovered === undefined) return;
    this.#run({ ...turn, attempt: recovered.attempt }, goOn, cancelAsked ? AbortSignal.abort() : undefined);
  }

  #giveUp(turn: TurnRecord): void {
    sealTurn(this.#parts, turn, "recovery_exhausted");
    this.kick();
  }

  #run(turn: TurnRecord, run: Run, cancelled?: AbortSignal): void {
    const own = { turn: turn.id, cancel: new AbortController() };
    this.#running = own;
    const running = run(this.#parts, turn, cancelled ?? own.cancel.signal).finally(() => {
      // A suspended turn may be taken up again before this one's promise has settled.
      if (this.#running === own) this.#running = undefined;
    });
    this.#parts.keepAwake(
      running.then(
        // A turn that could not start would be the next one again, for ever.
        (ran) => (ran ? this.kick() : undefined),
        (error: unknown) => this.#goOnBehind(turn, error),
      ),
    );
  }

  /** Not even ending the turn worked. The next one is tried all the same; if that is this one again, once. */
  #goOnBehind({ id }: TurnRecord, error: unknown): void {
    if (isReset(error)) return;
    systemPorts.log("error", "turn_run_failed", { turn: id, error: String(error) });
    if (this.#failed === id) return;
    this.#failed = id;
    this.kick();
  }
}
