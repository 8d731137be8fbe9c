/** TextDeltas: streamed text on its way to the event log, first piece at once, then one row per interval or KiB. Rules: PV5–PV8, DU47, SE70. */
import type { DeltaRedactor } from "../execution/resolved-agent-execution.ts";
import type { StreamGuard } from "./parse/stream-guard.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

const FLUSH_CHARS = 1024;

export interface DeltaSettings {
  readonly messageId: string;
  readonly type?: "text_delta" | "reasoning_delta";
  /** What streamed text passes before anybody sees it. */
  readonly live?: StreamGuard;
}

/**
 * Each chunk passes the guard as it comes, so what is shown does not depend on when a row is due. Redaction waits until one
 * is: it gives the same text however it is cut, and costs the same whether two chunks or fifty went into a row.
 */
export class TextDeltas {
  readonly #loop: ToolLoop;
  readonly #settings: DeltaSettings;
  /** Redacted as it streams, so that no secret slips out in two pieces. */
  readonly #redactor: DeltaRedactor;
  /** Passed by the guard, not redacted yet. */
  #visible = "";
  #waiting = "";
  #shown = "";
  #lastFlush: number | undefined;
  #stopTimer: (() => void) | undefined;
  #failure: { readonly error: unknown } | undefined;

  constructor(loop: ToolLoop, settings: DeltaSettings) {
    this.#loop = loop;
    this.#settings = settings;
    this.#redactor = loop.execution.redactor.deltas();
  }

  /** All text that went out or will, before redaction; each piece of it goes out exactly once. */
  get shown(): string {
    return this.#shown;
  }

  /** Takes text as it streams. */
  push(chunk: string): void {
    this.show(this.#settings.live?.push(chunk) ?? chunk);
    if (this.#visible === "") return;
    const { deltaFlushMs, ports } = this.#loop.execution;
    const due = this.#lastFlush === undefined ? 0 : this.#lastFlush + deltaFlushMs - ports.now();
    if (due <= 0 || this.#visible.length >= FLUSH_CHARS) this.flush();
    else this.#stopTimer ??= ports.startTimer(due, () => this.#flushLate());
  }

  /** No more text will stream. `withheld`: some of it was protocol and is kept back for good (PV7). */
  endStream(): { readonly withheld: boolean } {
    const end = this.#settings.live?.end() ?? { text: "", withheld: false };
    this.show(end.text);
    return { withheld: end.withheld };
  }

  /** Takes text that is known to be for the reader. */
  show(text: string): void {
    this.#shown += text;
    this.#visible += text;
  }

  /** Writes everything, also what was held back; called by whoever ends the text, so that it shares that step's commit. */
  finish(): void {
    this.#redact();
    this.#waiting += this.#redactor.end();
    this.flush();
  }

  /** Writes what may be shown by now. */
  flush(): void {
    this.#stopTimer?.();
    this.#stopTimer = undefined;
    if (this.#failure !== undefined) throw this.#failure.error;
    this.#redact();
    if (this.#waiting === "") return;
    const text = this.#waiting;
    this.#waiting = "";
    this.#lastFlush = this.#loop.execution.ports.now();
    const { messageId, type = "text_delta" } = this.#settings;
    this.#loop.journal.appendEvents([eventOf(this.#loop, { type, text, messageId })]);
  }

  /** A timer has nobody to throw to: what fails here is thrown where the turn writes next. */
  #flushLate(): void {
    try {
      this.flush();
    } catch (error) {
      this.#failure = { error };
    }
  }

  #redact(): void {
    if (this.#visible === "") return;
    this.#waiting += this.#redactor.push(this.#visible);
    this.#visible = "";
  }
}
