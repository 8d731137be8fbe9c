/** User text on its way to a model: nothing in it can pass for a receipt. Rules: SE62. */
import type { InputPart } from "../../contracts/message.ts";
import { makeReceiptsInert } from "../../policy/inert.ts";

/** History keeps what the user wrote. */
export const makePartsInert = (parts: readonly InputPart[]): readonly InputPart[] =>
  parts.map((part) => (part.type === "text" ? { ...part, text: makeReceiptsInert(part.text) } : part));
