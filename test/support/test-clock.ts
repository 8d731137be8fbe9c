/** A clock that stands still until a test moves it, with the timers that hang on it. */

export interface TestClock {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly startTimer: (ms: number, act: () => void) => () => void;
  /** Moves on and fires what is due, in the order in which it is due. */
  readonly advance: (ms: number) => void;
}

export function createTestClock(start = Date.UTC(2026, 10, 1)): TestClock {
  let now = start;
  const timers = new Set<{ readonly due: number; readonly act: () => void }>();
  return {
    now: () => now,
    startTimer: (ms, act) => {
      const timer = { due: now + ms, act };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance: (ms) => {
      now += ms;
      const due = [...timers].filter((timer) => timer.due <= now).toSorted((left, right) => left.due - right.due);
      for (const timer of due) if (timers.delete(timer)) timer.act();
    },
  };
}
