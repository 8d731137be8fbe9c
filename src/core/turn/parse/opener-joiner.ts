/** createOpenerJoiner: chunks cut anew, so that no opener of tool protocol is split between two. Rules: TP65, TP68, PV6. */
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { WHOLE_OPENERS } from "./guard-openers.ts";
import { type TextStage, longestEndThatBegins } from "./think-stripper.ts";

/** Holds back the few characters at the end of a chunk with which an opener might begin; nothing is lost. */
export function createOpenerJoiner(): TextStage {
  let held = "";
  return {
    push(chunk) {
      const text = held + chunk;
      const lower = foldAscii(text.slice(-LONGEST));
      const length = Math.max(...WHOLE_OPENERS.map((opener) => longestEndThatBegins(opener, lower).length));
      held = text.slice(text.length - length);
      return text.slice(0, text.length - length);
    },
    end() {
      const rest = held;
      held = "";
      return rest;
    },
  };
}

const LONGEST = Math.max(...WHOLE_OPENERS.map((opener) => opener.length));
