/** createMarkerStripper: streamed text without the terminal markers at its end. Rules: TP65, TP67. */
import { TERMINAL_MARKERS, stripTrailingMarkers } from "./text/clean-response.ts";
import { type TextStage, longestEndThatBegins } from "./think-stripper.ts";

export function createMarkerStripper(): TextStage {
  /** Whole markers at the end so far, with the white space behind them. */
  let run = "";
  /** The beginning of a marker behind that. */
  let begun = "";
  return {
    push(chunk) {
      const text = begun + chunk;
      begun = TERMINAL_MARKERS.map((marker) => longestEndThatBegins(marker, text)).toSorted(longerFirst)[0] ?? "";
      const settled = text.slice(0, text.length - begun.length);
      const kept = stripTrailingMarkers(settled);
      // Nothing but markers and white space goes on with the run; anything else makes text of it.
      if (run !== "" && kept.trim() === "") {
        run += settled;
        return "";
      }
      const shown = run + kept;
      run = settled.slice(kept.length);
      return shown;
    },
    end() {
      const rest = stripTrailingMarkers(run + begun);
      run = "";
      begun = "";
      return rest;
    },
  };
}

const longerFirst = (one: string, other: string): number => other.length - one.length;
