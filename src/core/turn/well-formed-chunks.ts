/** Well-formed chunks: streamed text made well-formed without breaking a pair that two chunks share. Rules: RX11. */

const HIGH_SURROGATE_AT_END = /[\uD800-\uDBFF]$/;

/** Feed chunks in order to the returned function; a half pair waits for its other half. `end` gives what never came whole. */
export function wellFormedChunks(): { next(chunk: string): string; end(): string } {
  let held = "";
  return {
    next(chunk) {
      const text = held + chunk;
      held = HIGH_SURROGATE_AT_END.test(text) ? text.slice(-1) : "";
      return text.slice(0, text.length - held.length).toWellFormed();
    },
    end() {
      const rest = held.toWellFormed();
      held = "";
      return rest;
    },
  };
}
