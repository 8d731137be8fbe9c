/** EventFanout: tells everyone who waits on this conversation's log that it grew; what they send they read from the log. Rules: G3, DU32, EV12. */

export class EventFanout {
  readonly #onWake: () => void;
  #waiting = new Set<() => void>();
  #streams = 0;

  /** `onWake` comes after everyone who waits has been told. */
  constructor(onWake: () => void = () => undefined) {
    this.#onWake = onWake;
  }

  /** Takes one of `most` places for open streams; what it gives is to be called once, when the stream is over. */
  join(most: number): (() => void) | undefined {
    if (this.#streams >= most) return undefined;
    this.#streams += 1;
    return () => {
      this.#streams -= 1;
    };
  }

  /** Called after each transaction that wrote events. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resume of waiting) resume();
    this.#onWake();
  }

  /** Resolves at the next `wake`, or after `ms`; true means woken. */
  next(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const resume = (): void => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        this.#waiting.delete(resume);
        resolve(false);
      }, ms);
      this.#waiting.add(resume);
    });
  }
}
