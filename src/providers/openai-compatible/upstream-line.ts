/** One connection to a provider: closed by the caller's signal, or by silence longer than allowed. Rules: PV13, PV14, UP2, UP11. */
import type { CancelSignal, SystemPorts } from "../../contracts/ports.ts";

export type Body = ReadableStream<Uint8Array>;

export interface UpstreamLine {
  readonly signal: AbortSignal;
  /** True once the line was cut because nothing came. */
  wentSilent(): boolean;
  /** Waits for `work`, but no longer than the line is open nor than silence may last. */
  watch<Value>(work: Promise<Value>): Promise<Value>;
  /** What matters has come: silence is no fault any more, and `act` runs after `ms` unless the line is closed by then. */
  wrapUp(ms: number, act: () => void): void;
  /** Closes the connection, whatever is still to come. */
  close(): void;
}

interface LineOptions {
  readonly cancel: CancelSignal;
  readonly startTimer: SystemPorts["startTimer"];
  /** Milliseconds. */
  readonly idleMs: number;
}

export function openLine({ cancel, startTimer, idleMs }: LineOptions): UpstreamLine {
  const controller = new AbortController();
  let silent = false;
  let wrapping = false;
  const close = (): void => {
    cancel.removeEventListener("abort", close);
    controller.abort();
  };
  cancel.addEventListener("abort", close, { once: true });
  if (cancel.aborted) close();
  const fallSilent = (): void => {
    silent = true;
    close();
  };
  return {
    signal: controller.signal,
    wentSilent: () => silent,
    close,
    wrapUp: (ms, act) => {
      wrapping = true;
      if (!controller.signal.aborted) controller.signal.addEventListener("abort", startTimer(ms, act), { once: true });
    },
    // A listener per wait, taken back after it: a race against one long-lived promise would keep every chunk's reaction alive.
    watch: (work) =>
      new Promise((resolve, reject) => {
        const stopTimer = wrapping ? undefined : startTimer(idleMs, fallSilent);
        const cut = (): void => settle(() => reject(new Error("the line was closed")));
        const settle = (finish: () => void): void => {
          stopTimer?.();
          controller.signal.removeEventListener("abort", cut);
          finish();
        };
        controller.signal.addEventListener("abort", cut, { once: true });
        if (controller.signal.aborted) cut();
        work.then(
          (value) => settle(() => resolve(value)),
          (error: unknown) => settle(() => reject(error instanceof Error ? error : new Error(String(error)))),
        );
      }),
  };
}
