/** TextReading: what a reader of text calls gives back. Rules: TP22. */
import type { TextCall } from "./call-objects.ts";

/** The calls that a text asks for, in order, and the left-over text: what of it is no call. */
export interface TextReading {
  readonly calls: readonly TextCall[];
  readonly text: string;
}
