/** createThinkStripper: streamed text without its thinking, however the stream is cut. Rules: TP65, TP66, PV9. */
import { THINK, THINK_END } from "./text/clean-response.ts";

/** A stage that streamed text passes: `push` gives what may go on at once, `end` what was held and may. */
export interface TextStage {
  push(chunk: string): string;
  end(): string;
}

export function createThinkStripper(): TextStage {
  let held = "";
  let inside = false;
  return {
    push(chunk) {
      let rest = held + chunk;
      let shown = "";
      for (;;) {
        const tag = inside ? THINK_END : THINK;
        const at = rest.indexOf(tag);
        if (at < 0) {
          held = longestEndThatBegins(tag, rest);
          return inside ? shown : shown + rest.slice(0, rest.length - held.length);
        }
        if (!inside) shown += rest.slice(0, at);
        inside = !inside;
        rest = rest.slice(at + tag.length);
      }
    },
    end() {
      const rest = inside ? "" : held;
      held = "";
      return rest;
    },
  };
}

/** The longest end of `text` with which `word` might begin. */
export function longestEndThatBegins(word: string, text: string): string {
  for (let length = Math.min(word.length - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (word.startsWith(end)) return end;
  }
  return "";
}
