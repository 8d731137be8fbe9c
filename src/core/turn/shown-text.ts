/** Shown text: what a user has already read stays in history, with a note that it was cut. Rules: PV10, PV14, HI10, HI11. */
import type { HistoryEntry } from "../../contracts/message.ts";
import { textWasCut, turnWasInterrupted } from "./runtime-sentences.ts";
import type { ToolLoop } from "./turn-context.ts";

/** With nothing shown, nothing is kept. */
export function keepShownText(
  { identity: { turn } }: ToolLoop,
  shown: string,
  why: "cut" | "interrupted",
): { readonly text: string; readonly entries: readonly HistoryEntry[] } {
  const text = shown.trim();
  if (text === "") return { text: "", entries: [] };
  const note = why === "cut" ? textWasCut : turnWasInterrupted;
  return {
    text: shown,
    entries: [
      { kind: "assistant", turn, text, calls: [] },
      { kind: "note", turn, text: note },
    ],
  };
}
