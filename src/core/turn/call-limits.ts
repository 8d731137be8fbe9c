/** Call limits: how long a provider call may take in all, and for how long it may give nothing. Rules: PV13, DU6. */
import type { ResolvedAgentExecution } from "../execution/resolved-agent-execution.ts";

export interface CallLimits {
  /** To be called for everything that the provider gives. */
  noteProgress(): void;
  /** Which limit was passed, for operators; undefined while none was. */
  passed(): string | undefined;
  /** Takes the timers back. */
  stop(): void;
}

/** `cut` runs once, when the first limit is passed. */
export function startCallLimits({ ports, knobs }: ResolvedAgentExecution, cut: () => void): CallLimits {
  let passed: string | undefined;
  let lastProgress = ports.now();
  const pass = (limit: string): void => {
    if (passed !== undefined) return;
    passed = limit;
    cut();
  };
  const { stepTimeoutSecs } = knobs.pacing;
  const stopStep =
    stepTimeoutSecs === null
      ? undefined
      : ports.startTimer(stepTimeoutSecs * 1000, () => pass("the provider call took longer than its limit"));
  // Set again when it goes off, for the rest: a timer per part would cost more than the part.
  const checkProgress = (): void => {
    const rest = lastProgress + knobs.noProgressSecs * 1000 - ports.now();
    if (rest <= 0) pass(`the provider gave nothing for ${knobs.noProgressSecs} seconds`);
    else stopSilence = ports.startTimer(rest, checkProgress);
  };
  let stopSilence = ports.startTimer(knobs.noProgressSecs * 1000, checkProgress);
  return {
    noteProgress: () => {
      lastProgress = ports.now();
    },
    passed: () => passed,
    stop: () => {
      stopStep?.();
      stopSilence();
    },
  };
}
