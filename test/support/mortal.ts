/** Lives of an object: each can end at any storage operation or between any two transactions, and nothing of it happens after. Rules: DU20, DU49. */
import type { SqlPort } from "../../src/storage/sql-port.ts";

/** `reset`: the operation throws, and so does every later one. `kill`: behind a transaction everything just stops. */
export type DeathMode = "reset" | "kill";

/** Of an instance that is to die at its `at`-th operation, or of one that lives for good. */
export interface Death {
  readonly mode: DeathMode;
  readonly at: number;
}

const resetMessage = "Durable Object reset because its code was updated.";
export const isResetNoise = (words: string): boolean => words.includes(resetMessage);

/** Never resolves: code behind a kill is not run. */
const never = (): Promise<never> => new Promise(() => undefined);

export class Life {
  readonly #death: Death | undefined;
  #passed = 0;
  #dead = false;
  readonly died: Promise<void>;
  #announce: () => void = () => undefined;

  constructor(death?: Death) {
    this.#death = death;
    this.died = new Promise((resolve) => {
      this.#announce = resolve;
    });
  }

  get dead(): boolean {
    return this.#dead;
  }

  /** Operations so far. */
  get passed(): number {
    return this.#passed;
  }

  /** Throws once it is dead; in a reset it may die of this very operation. */
  operate(): void {
    if (this.#death?.mode !== "kill") this.#count();
    if (this.#dead) throw new Error(resetMessage);
  }

  /** Behind a transaction. What was committed stays. */
  commit(): void {
    if (this.#death?.mode !== "reset") this.#count();
  }

  /** Where the code outside of storage has come to. A superseded instance may go on here, a killed one may not. */
  async pause(): Promise<void> {
    if (this.#death?.mode !== "kill") return;
    this.#count();
    if (this.#dead) await never();
  }

  /** Resolves when what was written is durable. */
  async sync(): Promise<void> {
    if (this.#death?.mode === "kill") return await this.pause();
    this.operate();
  }

  #count(): void {
    if (this.#dead) return;
    this.#passed += 1;
    if (this.#death === undefined || this.#passed < this.#death.at) return;
    this.#dead = true;
    this.#announce();
  }
}

/** `settled` hears of each whole transaction, and of each that was taken back. */
export function createMortalPort(sql: SqlPort, life: Life, settled: (kept: boolean) => void): SqlPort {
  let depth = 0;
  const around = <Value>(act: () => Value): Value => {
    depth += 1;
    let kept = false;
    try {
      const value = act();
      kept = true;
      return value;
    } finally {
      depth -= 1;
      if (depth === 0) settled(kept);
      if (depth === 0 && kept) life.commit();
    }
  };
  return {
    all: (statement, ...bindings) => {
      life.operate();
      return sql.all(statement, ...bindings);
    },
    run: (statement, ...bindings) => {
      life.operate();
      return around(() => sql.run(statement, ...bindings));
    },
    transaction: (act) => {
      life.operate();
      return around(() =>
        sql.transaction(() => {
          const value = act();
          // The commit itself may be what fails.
          if (depth === 1) life.operate();
          return value;
        }),
      );
    },
  };
}
