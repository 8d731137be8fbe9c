/** TextDeltas: streamed text on its way to the event log, first piece at once, then one row per interval or KiB. Rules: PV8, DU47. */
import { type ToolLoop, eventOf } from "./turn-context.ts";

const FLUSH_CHARS = 1024;

export class TextDeltas {
  readonly #loop: ToolLoop;
  readonly #messageId: string;
  #waiting = "";
  #shown = "";
  #lastFlush: number | undefined;
  #stopTimer: (() => void) | undefined;

  constructor(loop: ToolLoop, messageId: string) {
    this.#loop = loop;
    this.#messageId = messageId;
  }

  /** All text given so far; each piece of it goes out exactly once. */
  get shown(): string {
    return this.#shown;
  }

  push(text: string): void {
    if (text === "") return;
    this.#waiting += text;
    this.#shown += text;
    const { deltaFlushMs, ports } = this.#loop.execution;
    const due = this.#lastFlush === undefined ? 0 : this.#lastFlush + deltaFlushMs - ports.now();
    if (due <= 0 || this.#waiting.length >= FLUSH_CHARS) this.flush();
    else this.#stopTimer ??= ports.startTimer(due, () => this.flush());
  }

  /** Writes what waits; called last by whoever ends the text, so that it shares that step's commit. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#waiting === "") return;
    const text = this.#waiting;
    this.#waiting = "";
    this.#lastFlush = this.#loop.execution.ports.now();
    this.#loop.journal.appendEvents([eventOf(this.#loop, { type: "text_delta", text, messageId: this.#messageId })]);
  }
}
