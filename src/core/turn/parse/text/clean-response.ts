/** Cleaning a response: what is taken off before anything is parsed, classified or stored. Rules: TP3–TP5, PA1. */

export const THINK = "<think>";
export const THINK_END = "</think>";
export const TERMINAL_MARKERS = ["<|eom|>", "<eom>"] as const;

/** The response text: well-formed, without thinking, without trailing markers, in this order. */
export const cleanResponse = (response: string): string => stripTrailingMarkers(stripThink(response.toWellFormed()));

/** One pass from left to right; an open `<think>` takes all that follows. */
export function stripThink(text: string): string {
  let kept = "";
  for (let at = 0; ;) {
    const start = text.indexOf(THINK, at);
    if (start < 0) return (kept + text.slice(at)).trim();
    kept += text.slice(at, start);
    const end = text.indexOf(THINK_END, start);
    if (end < 0) return kept.trim();
    at = end + THINK_END.length;
  }
}

/** White space before the first marker stays, that behind it goes; a text without a marker is not touched. */
export function stripTrailingMarkers(text: string): string {
  let kept = text;
  for (;;) {
    const trimmed = kept.trimEnd();
    const marker = TERMINAL_MARKERS.find((candidate) => trimmed.endsWith(candidate));
    if (marker === undefined) return kept;
    kept = trimmed.slice(0, -marker.length);
  }
}
