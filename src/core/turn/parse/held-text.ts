/** HeldText: streamed text that waits for a verdict, and when the next one is worth its cost. Rules: TP69, TP24. */
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { JsonProgress } from "./json-progress.ts";
import { LONGEST_SIGN, holdsEnvelopeSign, holdsProtocolMark } from "./text/protocol-marks.ts";

/** Suspicious text is judged with each chunk up to this length, then only when it has grown by a part of itself. */
const JUDGED_EACH_TIME = 4096;
const GROWTH = 1.25;

export class HeldText {
  readonly #start: number;
  readonly #progress = new JsonProgress();
  #text = "";
  /** The end of what was searched for signs, where one may have begun. */
  #searchedEnd = "";
  #suspicious = false;
  #judgedLength = 0;
  #judgedComplete = false;

  /** `start`: where in the first chunk protocol may begin. */
  constructor(chunk: string, start: number) {
    this.#start = start;
    this.#text = chunk.slice(0, start);
    this.add(chunk.slice(start));
  }

  get text(): string {
    return this.#text;
  }

  /** The part that is judged. */
  get candidate(): string {
    return this.#text.slice(this.#start);
  }

  add(chunk: string): void {
    this.#text += chunk;
    this.#progress.add(chunk);
    if (this.#suspicious) return;
    const searched = this.#searchedEnd + foldAscii(chunk);
    this.#suspicious = holdsProtocolMark(searched) || holdsEnvelopeSign(searched);
    this.#searchedEnd = searched.slice(-LONGEST_SIGN);
  }

  /** Whether to judge now; a yes counts as having judged. Text that is not complete and shows no sign stays undecided. */
  isDue(): boolean {
    const isNewlyComplete = this.#progress.mayBeComplete && !this.#judgedComplete;
    const length = this.#text.length;
    const hasGrown = length <= JUDGED_EACH_TIME || length >= this.#judgedLength * GROWTH;
    if (!isNewlyComplete && !(this.#suspicious && hasGrown)) return false;
    this.#judgedLength = length;
    this.#judgedComplete ||= isNewlyComplete;
    return true;
  }
}
