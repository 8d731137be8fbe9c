/** CallSlots: one slot per model call, in model order, filled once; only a full set can be appended. Rules: CP2, HI2. */
import type { CallOutcome, LoopCall, ModelCall } from "../../contracts/call.ts";

/** A call with its one disposition, as it stands in the journal; `modelText` carries the receipt line, if there is one. */
export interface RecordedResult {
  readonly call: ModelCall;
  readonly outcome: CallOutcome;
  readonly modelText: string;
  /** What the loop guards compare; absent for a call that they do not look at. */
  readonly compared?: ComparedCall;
}

export interface ComparedCall extends LoopCall {
  /** Of the raw output; absent when the call was kept from running. */
  readonly outputDigest?: string;
}

declare const filled: unique symbol;
/** Every call of a batch with its result, in model order. Made by `CallSlots.complete()` alone. */
export type FilledSlots = readonly RecordedResult[] & { readonly [filled]: true };

export class CallSlots {
  readonly #slots: (RecordedResult | undefined)[];

  constructor(batchSize: number) {
    this.#slots = Array.from({ length: batchSize });
  }

  fill(result: RecordedResult): void {
    const { index } = result.call;
    if (index < 0 || index >= this.#slots.length) throw new Error(`no slot ${index}`);
    if (this.#slots[index] !== undefined) throw new Error(`slot ${index} is filled already`);
    this.#slots[index] = result;
  }

  isFilled(index: number): boolean {
    return this.#slots[index] !== undefined;
  }

  /** What there is so far, in model order. */
  filled(): readonly RecordedResult[] {
    return this.#slots.filter((slot) => slot !== undefined);
  }

  /** Throws while a call is without a result: an unanswered call must never reach history. */
  complete(): FilledSlots {
    const results = this.#slots.map((slot, index) => {
      if (slot === undefined) throw new Error(`slot ${index} is empty`);
      return slot;
    });
    return results as readonly RecordedResult[] as FilledSlots;
  }
}
