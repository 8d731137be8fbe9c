/** One connection to a provider: closed by the caller's signal, or by silence longer than allowed. Rules: PV14, UP2. */
import type { CancelSignal, SystemPorts } from "../../contracts/ports.ts";

export interface UpstreamLine {
  readonly signal: AbortSignal;
  /** True once the line was cut because nothing came. */
  wentSilent(): boolean;
  /** Waits for `work`, but no longer than the line is open nor than silence may last. */
  watch<Value>(work: Promise<Value>): Promise<Value>;
  /** Closes the connection, whatever is still to come. */
  close(): void;
}

interface LineOptions {
  readonly cancel: CancelSignal;
  readonly startTimer: SystemPorts["startTimer"];
  /** Milliseconds; absent: silence is allowed. */
  readonly idleMs?: number;
}

export function openLine({ cancel, startTimer, idleMs }: LineOptions): UpstreamLine {
  const controller = new AbortController();
  let silent = false;
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
    // A listener per wait, taken back after it: a race against one long-lived promise would keep every chunk's reaction alive.
    watch: (work) =>
      new Promise((resolve, reject) => {
        const stopTimer = idleMs === undefined ? undefined : startTimer(idleMs, fallSilent);
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
