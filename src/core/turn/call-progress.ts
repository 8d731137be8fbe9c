/** Call progress: what a running call tells whoever watches, thinned, and nothing once it has settled. Rules: TC12. */
import type { JsonValue } from "../../contracts/json.ts";
import { toPlainJson } from "./plain-json.ts";
import { type ToolLoop, eventContext } from "./turn-context.ts";

const MOST_BYTES = 16 * 1024;
const EVERY_MS = 200;

export interface CallProgress {
  /** Shown at once, or when 200 ms have passed since what was shown last, if nothing newer came by then. */
  readonly tell: (data: JsonValue) => void;
  /** The call has settled. */
  close(): void;
}

export function openProgress(loop: ToolLoop, callId: string): CallProgress {
  const { ports, progress: board } = loop.execution;
  const context = { ...eventContext(loop), iteration: loop.iteration };
  let open = true;
  let shownAt = Number.NEGATIVE_INFINITY;
  let newest: JsonValue = null;
  let stopTimer: (() => void) | undefined;
  const show = (): void => {
    stopTimer = undefined;
    shownAt = ports.now();
    board.show({ ...context, type: "tool_progress", callId, data: newest });
  };
  return {
    tell: (data) => {
      if (!open) return;
      const plain = toPlainJson(data, MOST_BYTES);
      if (plain === undefined) {
        ports.log("warn", "progress_refused", { call: callId, turn: loop.identity.turn });
        return;
      }
      newest = plain;
      const due = shownAt + EVERY_MS - ports.now();
      if (due <= 0) show();
      else stopTimer ??= ports.startTimer(due, show);
    },
    close: () => {
      open = false;
      stopTimer?.();
      board.clear(callId);
    },
  };
}
