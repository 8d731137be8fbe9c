/** JsonProgress: how far a streamed text is on its way to one JSON object or list, without reading it twice. Rules: TP69, TP24. */

/** Counts brackets outside strings; it tells when a text may be complete, not that it is valid. */
export class JsonProgress {
  #depth = 0;
  #inString = false;
  #escaped = false;
  #closed = false;

  add(chunk: string): void {
    for (let at = 0; at < chunk.length && !this.#closed; at += 1) {
      const character = chunk.charAt(at);
      if (this.#inString) this.#addToString(character);
      else if (character === '"') this.#inString = true;
      else if (character === "{" || character === "[") this.#depth += 1;
      else if (character === "}" || character === "]") {
        this.#depth -= 1;
        this.#closed = this.#depth <= 0;
      }
    }
  }

  get mayBeComplete(): boolean {
    return this.#closed;
  }

  #addToString(character: string): void {
    if (this.#escaped) this.#escaped = false;
    else if (character === "\\") this.#escaped = true;
    else if (character === '"') this.#inString = false;
  }
}
