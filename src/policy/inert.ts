/** Inert text: what comes from outside cannot pass for a receipt, for protocol or for a chat template. Rules: SE56, SE62, BD10. */
import { showControls } from "./visible-text.ts";

/** Drawn as nothing; may stand between any two letters. */
const HIDDEN = String.raw`\p{Default_Ignorable_Code_Point}*`;
/** Space or nothing; may stand between any two words or signs. */
const SPACE = String.raw`[\s\p{Default_Ignorable_Code_Point}]*`;
/** What joins the words of a tag's name. */
const JOINT = String.raw`[\s_\p{Default_Ignorable_Code_Point}-]*`;
const CLOSING = `${SPACE}(?:/${SPACE})?`;

const escaped = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/]/, String.raw`\$&`);
const spell = (word: string): string => Array.from(word, escaped).join(HIDDEN);
const join = (...words: string[]): string => words.map(spell).join(JOINT);

const NAMESPACE = String.raw`(?:[a-z\p{Default_Ignorable_Code_Point}]{1,32}:${SPACE})?`;
const OWN_TAGS = [join("tool", "result"), join("tool", "call"), join("function", "call")].join("|");
/** Names that code uses too: there only what can follow a tag's name makes it one. */
const COMMON_TAGS = String.raw`(?:${spell("invoke")}|${spell("tools")})(?=[\s/>\p{Default_Ignorable_Code_Point}]|$)`;
const TURN_ENDS = `(?:${spell("start")}|${spell("end")})${JOINT}${join("of", "turn")}`;

/**
 * Every alternative starts with a sign that none of them holds again further in (`<<` aside), and no two gaps meet, so the
 * scan is linear in the text.
 */
const PROTOCOL = new RegExp(
  [
    `<${CLOSING}${NAMESPACE}(?:(?:${OWN_TAGS})s?(?![\\p{L}\\p{N}])|${COMMON_TAGS})`,
    `<${CLOSING}${TURN_ENDS}${SPACE}>`,
    `<${SPACE}<${CLOSING}${spell("SYS")}${SPACE}>${SPACE}>`,
    `<${SPACE}[|\uFF5C][^|\uFF5C<>\\n]{1,128}[|\uFF5C]${SPACE}>`,
    `\\[${CLOSING}${spell("INST")}${SPACE}\\]`,
    `\\[${CLOSING}${join("tool", "call")}${SPACE}\\]`,
    `\\[${SPACE}${join("tool", "results")}${SPACE}\\]`,
  ].join("|"),
  "giu",
);
const RECEIPT_LINE = new RegExp(`\\[${SPACE}${spell("receipt")}${SPACE}:`, "giu");
const RECEIPT_TOKEN = new RegExp(`${spell("zc")}${SPACE}-${SPACE}${spell("receipt")}${SPACE}-`, "giu");

/** A visible change that no reader or parser takes for the original. */
const breakUp = (found: string): string => `${found.charAt(0)}\\${found.slice(1)}`;

/** For user text, where only what is receipt-shaped is touched. */
export function makeReceiptsInert(text: string): string {
  return text.replace(RECEIPT_LINE, breakUp).replace(RECEIPT_TOKEN, "zc-quoted-receipt-");
}

/** For the model-visible text of results and tool descriptions; comes before bounding. Applying it twice changes nothing more. */
export const makeInert = (text: string): string =>
  makeReceiptsInert(showControls(text.toWellFormed())).replace(PROTOCOL, breakUp);
