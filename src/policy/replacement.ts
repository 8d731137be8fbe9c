/** Words of an operator – a replacement, a note – as they may reach the model: cleaned of controls, cut to size. Rules: AP15, AP16, RX11. */
import { cutCodePoints, cutUtf8 } from "./cut-text.ts";

const MOST_BYTES = 65_536;
const MOST_NOTE_CHARS = 1000;
const CONTROLS = /[^\P{Cc}\n\r\t]+/gu;

const removeControls = (text: string): string => text.toWellFormed().replace(CONTROLS, "");

/** At most 65536 bytes in UTF-8, without an ellipsis: the text stands in for a tool's output. */
export const cleanReplacement = (text: string): string => cutUtf8(removeControls(text), MOST_BYTES);

/** At most 1000 code points. */
export const cleanNote = (text: string): string => cutCodePoints(removeControls(text), MOST_NOTE_CHARS);
