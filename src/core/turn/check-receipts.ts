/** The check of a final text: each receipt in it is one of this scope, or fabricated, and the profile says what then. Rules: RE10, LC1. */
import type { HistoryEntry } from "../../contracts/message.ts";
import type { ClaimFinding, TextCheck } from "../../contracts/text-check.ts";
import { checkClaims } from "../../receipts/claims/check-claims.ts";
import { findReceiptTokens, replaceReceiptTokens } from "../../receipts/format.ts";
import type { EndedOutcome } from "./outcome.ts";
import type { ToolLoop } from "./turn-context.ts";

export interface CheckedOutcome {
  readonly outcome: EndedOutcome;
  /** Absent when the agent's receipts are off. */
  readonly check?: TextCheck;
}

/** The reader sees that something was there. */
const STRIPPED = "[unverified receipt removed]";

/** Looks at what the model said; the block that the runtime puts below it is not part of that. */
export function checkReceipts(loop: ToolLoop, outcome: EndedOutcome): CheckedOutcome {
  const { isGenuine, agent } = loop.execution;
  if (isGenuine === undefined) return { outcome };
  const tokens = [...new Set(findReceiptTokens(outcome.text))];
  const fabricated = tokens.filter((token) => {
    const body = loop.journal.findReceipt(token);
    return body === undefined || !isGenuine({ token, body });
  });
  const check = { quoted: tokens.length - fabricated.length, fabricated, claims: findClaims(loop, outcome.text) };
  return { check, outcome: fabricated.length === 0 ? outcome : react(outcome, agent.toolReceipts.onFabricated, check) };
}

/** Links of the user, and of what was said before, are known; so is every tool of the frame, whether it is shown or deferred. */
function findClaims(loop: ToolLoop, text: string): readonly ClaimFinding[] {
  if (text.trim() === "") return [];
  const { visible, stubs } = loop.execution.registry;
  const said = loop.history.filter((entry) => entry.kind !== "assistant" || !text.includes(entry.text));
  return checkClaims(text, {
    runs: loop.journal.toolRuns(),
    knownTools: [...visible, ...stubs].map(({ definition }) => definition.name),
    given: said.map(textOf).join("\n"),
  });
}

const textOf = (entry: HistoryEntry): string =>
  entry.kind === "user" ? entry.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") : entry.text;

function react(outcome: EndedOutcome, reaction: "flag" | "strip" | "fail", { fabricated }: TextCheck): EndedOutcome {
  switch (reaction) {
    case "flag":
      return outcome;
    case "strip": {
      const strip = (text: string): string =>
        replaceReceiptTokens(text, (token) => (fabricated.includes(token) ? STRIPPED : token));
      return {
        ...outcome,
        text: strip(outcome.text),
        entries: outcome.entries.map((entry) => stripEntry(entry, strip)),
      };
    }
    case "fail":
      // A turn that was cancelled or has failed has its reason already.
      return outcome.kind === "cancelled" || outcome.kind === "failed"
        ? outcome
        : {
            kind: "failed",
            reason: "fabricated_receipt",
            text: outcome.text,
            entries: outcome.entries,
            ...(outcome.events === undefined ? {} : { events: outcome.events }),
          };
    default:
      return reaction satisfies never;
  }
}

function stripEntry(entry: HistoryEntry, strip: (text: string) => string): HistoryEntry {
  if (entry.kind !== "assistant") return entry;
  const { visibleText } = entry;
  return {
    ...entry,
    text: strip(entry.text),
    ...(visibleText === undefined ? {} : { visibleText: strip(visibleText) }),
  };
}
