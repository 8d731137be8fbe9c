/** Visible text: characters that hide or reorder others are written out as `\u{…}`. Rules: SE25, SE56. */

const CONTROLS = /(?![\n\r\t])[\p{Cc}\u202A-\u202E\u2066-\u2069\u{E0000}-\u{E007F}]/gu;
const INVISIBLE = /(?![\n\r\t])[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu;

const writeOut = (character: string): string => `\\u{${character.codePointAt(0)?.toString(16)}}`;

/** For results and rendering surfaces. Controls but `\n`, `\r`, `\t`, direction overrides and isolates, tag characters. */
export const showControls = (text: string): string => text.replace(CONTROLS, writeOut);

/** For whoever approves: beyond controls every character that is drawn as nothing. */
export const showInvisible = (text: string): string => text.replace(INVISIBLE, writeOut);
