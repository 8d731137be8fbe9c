/** Progress board: what each running call told last, for streams to read beside the log. It is in memory alone. Rules: TC12, G3. */
import type { JsonValue } from "../src/contracts/json.ts";
import type { ToolProgress } from "../src/contracts/turn-event.ts";
import type { ProgressBoard } from "../src/core/execution/resolved-agent-execution.ts";
import { encodeToolProgress } from "../src/wire/events.ts";
import { encodeSseFrame } from "../src/wire/sse.ts";

/** Frames that came after a place, oldest first, and the place behind them. */
export interface ProgressNews {
  readonly frames: readonly string[];
  readonly upTo: number;
}

export interface BoardSettings {
  readonly conversation: string;
  readonly now: () => number;
  /** What may be shown of it. */
  readonly redact: (agent: string, data: JsonValue) => JsonValue;
  /** Tells whoever waits that there is news. */
  readonly wake: () => void;
}

export class ConversationProgress implements ProgressBoard {
  readonly #settings: BoardSettings;
  /** In the order in which they were shown. */
  readonly #newest = new Map<string, { readonly at: number; readonly turn: string; readonly frame: string }>();
  #last = 0;

  constructor(settings: BoardSettings) {
    this.#settings = settings;
  }

  show(progress: ToolProgress): void {
    const { conversation, now, redact, wake } = this.#settings;
    const data = redact(progress.agent, progress.data);
    const body = encodeToolProgress({ ...progress, data }, { at: now(), conversation });
    this.#last += 1;
    this.#newest.delete(progress.callId);
    const frame = encodeSseFrame({ type: progress.type, body });
    this.#newest.set(progress.callId, { at: this.#last, turn: progress.turn, frame });
    wake();
  }

  clear(callId: string): void {
    this.#newest.delete(callId);
  }

  /** Of one turn, or of all. */
  since(place: number, turn?: string): ProgressNews {
    const news = [...this.#newest.values()].filter((shown) => shown.at > place && (turn ?? shown.turn) === shown.turn);
    return { frames: news.map(({ frame }) => frame), upTo: this.#last };
  }
}
