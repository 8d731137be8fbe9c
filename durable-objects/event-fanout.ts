/** EventFanout: tells everyone who waits on this conversation's log that it grew; what they send they read from the log. Rules: G3, EV12. */

export class EventFanout {
  #waiting = new Set<() => void>();

  /** Called after each transaction that wrote events. */
  wake(): void {
    const waiting = this.#waiting;
    this.#waiting = new Set();
    for (const resume of waiting) resume();
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
