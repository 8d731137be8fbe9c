/** TextReading: what a reader of text calls gives back. Rules: TP22, TP28, TP38. */
import type { TextCall } from "./call-objects.ts";

/** The calls that a text asks for, in order, and the left-over text: what of it is no call. */
export interface TextReading {
  readonly calls: readonly TextCall[];
  readonly text: string;
}

/** A reading of formats whose bodies may be dropped. */
export interface FoundCalls extends TextReading {
  /** Lengths of the bodies that said no call, in UTF-16 code units. */
  readonly lost: readonly number[];
}
