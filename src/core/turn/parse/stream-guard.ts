/** createStreamGuard: live text passes until it may be tool protocol, then it waits, and protocol never leaves. Rules: TP68–TP72, TP24, PV6, PV7. */
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { embeddedOpener, lateOpener, startsSuspiciously } from "./guard-openers.ts";
import { type Verdict, judgeAtEnd, judgeSoFar, mustWithhold } from "./guard-verdict.ts";
import { HeldText } from "./held-text.ts";
import { MOST_PARSED_CHARS } from "./text/parse-text-calls.ts";
import { ToolNames } from "./text/tool-names.ts";

export interface StreamGuard {
  /** What may be shown now; empty for nothing. */
  push(chunk: string): string;
  /** What was held and may be shown after all, and whether text was withheld for good. */
  end(): { readonly text: string; readonly withheld: boolean };
}

/** Passing and waiting alternate; the other two are final. */
type State = HeldText | "passing" | "withheld" | "over";

/** `knownNames`: the names offered in this iteration, in native and in text mode alike; none means that no tool is offered. */
export function createStreamGuard(knownNames: Iterable<string>): StreamGuard {
  return new Guard(new ToolNames(knownNames));
}

class Guard implements StreamGuard {
  readonly #names: ToolNames;
  #state: State = "passing";
  #seen = 0;

  constructor(names: ToolNames) {
    this.#names = names;
  }

  push(chunk: string): string {
    this.#seen += chunk.length;
    if (chunk === "" || this.#state === "withheld") return "";
    // Text of this length is never parsed, so nothing in it can be a call.
    if (this.#seen > MOST_PARSED_CHARS) return this.#stop() + chunk;
    if (this.#state === "passing") return this.#pass(chunk);
    if (this.#state === "over") return chunk;
    this.#state.add(chunk);
    return this.#judge(this.#state);
  }

  end(): { readonly text: string; readonly withheld: boolean } {
    const held = this.#state;
    const text = held instanceof HeldText ? this.#settle(held, judgeAtEnd(held.candidate, this.#names)) : "";
    return { text, withheld: this.#state === "withheld" };
  }

  #pass(chunk: string): string {
    const lower = foldAscii(chunk);
    if (startsSuspiciously(lower)) return this.#judge(new HeldText(chunk, chunk.length - chunk.trimStart().length));
    const embedded = embeddedOpener(lower);
    const start = embedded ?? lateOpener(lower);
    if (start === undefined) return chunk;
    const held = new HeldText(chunk, start);
    const isPlain = embedded !== undefined && mustWithhold(held.candidate, this.#names);
    return this.#settle(held, isPlain ? "withhold" : "wait");
  }

  #judge(held: HeldText): string {
    return this.#settle(held, held.isDue() ? judgeSoFar(held.candidate, this.#names) : "wait");
  }

  /** Follows a verdict; gives what it lets out. */
  #settle(held: HeldText, verdict: Verdict): string {
    if (verdict === "wait") this.#state = held;
    else this.#state = verdict === "withhold" ? "withheld" : "passing";
    return verdict === "release" ? held.text : "";
  }

  #stop(): string {
    const held = this.#state;
    this.#state = "over";
    return held instanceof HeldText ? held.text : "";
  }
}
