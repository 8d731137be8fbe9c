/** Text for a terminal: colours where they are wanted, nothing from outside that could move the cursor. Rules: SE56. */
import { boundField } from "../../src/observe/bound-field.ts";
import { showControls } from "../../src/policy/visible-text.ts";

const codes = { dim: [2, 22], bold: [1, 22], red: [31, 39], green: [32, 39] } as const;

/** Puts text in a colour, or leaves it alone. */
export type Paint = (colour: keyof typeof codes, text: string) => string;

export const paintNothing: Paint = (_, text) => text;

export const paintAnsi: Paint = (colour, text) => {
  const [on, off] = codes[colour];
  return text === "" ? "" : `\u001B[${on}m${text}\u001B[${off}m`;
};

/** Escape sequences come out as visible text; a lone carriage return would let later words overwrite earlier ones. */
export const makePrintable = (text: string): string => showControls(text).replaceAll("\r", "");

/** One line of at most `limit` code points. */
export function shorten(text: string, limit: number): string {
  return boundField(makePrintable(text).replace(/\s+/g, " ").trim(), limit);
}
