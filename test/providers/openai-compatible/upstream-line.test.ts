/** One line to a provider: who may close it, and what a wait leaves behind. */
import { expect, test } from "vitest";
import type { CancelSignal } from "../../../src/contracts/ports.ts";
import { openLine } from "../../../src/providers/openai-compatible/upstream-line.ts";

/** Timers that only the test lets go off. */
function heldTimers() {
  const running = new Set<() => void>();
  const startTimer = (_: number, act: () => void): (() => void) => {
    running.add(act);
    return () => void running.delete(act);
  };
  return { running, startTimer };
}

/** A signal that shows how many still listen. */
function countedSignal() {
  const controller = new AbortController();
  let listeners = 0;
  const signal: CancelSignal = {
    get aborted() {
      return controller.signal.aborted;
    },
    addEventListener: (type, listener, options) => {
      listeners++;
      controller.signal.addEventListener(type, listener, options);
    },
    removeEventListener: (type, listener) => {
      listeners--;
      controller.signal.removeEventListener(type, listener);
    },
  };
  return { controller, signal, listening: () => listeners };
}

const never = new Promise<never>(() => undefined);

test("a wait takes its timer back, whether it ends well or not", async () => {
  const { running, startTimer } = heldTimers();
  const line = openLine({ cancel: countedSignal().signal, startTimer, idleMs: 5 });
  const waiting = line.watch(Promise.resolve(7));
  expect(running.size).toBe(1);
  expect(await waiting).toBe(7);
  expect(running.size).toBe(0);
  await expect(line.watch(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  expect(running.size).toBe(0);
  expect(line.wentSilent()).toBe(false);
});

test("silence closes the line", async () => {
  const { running, startTimer } = heldTimers();
  const line = openLine({ cancel: countedSignal().signal, startTimer, idleMs: 5 });
  const waiting = line.watch(never);
  for (const goOff of running) goOff();
  await expect(waiting).rejects.toThrow("closed");
  expect([line.wentSilent(), line.signal.aborted]).toEqual([true, true]);
});

test("[PV14] the caller's signal closes the line, and a closed line waits for nothing", async () => {
  const cancel = countedSignal();
  const line = openLine({ cancel: cancel.signal, startTimer: heldTimers().startTimer, idleMs: 5 });
  const waiting = line.watch(never);
  cancel.controller.abort();
  await expect(waiting).rejects.toThrow("closed");
  await expect(line.watch(never)).rejects.toThrow("closed");
  expect([line.wentSilent(), line.signal.aborted]).toEqual([false, true]);
});

test("[PV14] a signal that has fired already leaves nothing to open", async () => {
  const line = openLine({ cancel: AbortSignal.abort(), startTimer: heldTimers().startTimer, idleMs: 5 });
  expect(line.signal.aborted).toBe(true);
  await expect(line.watch(never)).rejects.toThrow("closed");
});

test("a closed line no longer listens to its caller", () => {
  const cancel = countedSignal();
  const line = openLine({ cancel: cancel.signal, startTimer: heldTimers().startTimer, idleMs: 5 });
  expect(cancel.listening()).toBe(1);
  line.close();
  expect(cancel.listening()).toBe(0);
});

test("[UP11] a line that wraps up watches no silence, and its last timer goes with it", async () => {
  const { running, startTimer } = heldTimers();
  const line = openLine({ cancel: countedSignal().signal, startTimer, idleMs: 5 });
  let acted = 0;
  line.wrapUp(2000, () => (acted += 1));
  const waiting = line.watch(never);
  expect(running.size).toBe(1);
  for (const goOff of running) goOff();
  expect([acted, line.wentSilent(), line.signal.aborted]).toEqual([1, false, false]);
  line.close();
  await expect(waiting).rejects.toThrow("closed");
  expect(running.size).toBe(0);
  line.wrapUp(2000, () => (acted += 1));
  expect(running.size).toBe(0);
});
