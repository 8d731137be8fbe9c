/** Trimming in a turn: when history is cut to its budget, what is announced of it. Rules: LC24, LC25, EV11. */
import type { HistoryEntry } from "../../contracts/message.ts";
import { estimateHistory, estimateText } from "../history/estimate-size.ts";
import { systemPrompt } from "../history/system-prompt.ts";
import { type TrimmedHistory, overflowBudget, scaleBudget, trimToBudget, trimToMessages } from "../history/trim.ts";
import { observe } from "./observe.ts";
import { offerTools } from "./steps/tool-specs.ts";
import { type ToolLoop, eventOf } from "./turn-context.ts";

type TrimReason = "context_budget" | "message_limit" | "overflow";

/** By estimate, before the first request. */
export function trimAtStart(loop: ToolLoop): void {
  const { knobs } = loop.execution;
  const { turn } = loop.identity;
  apply(loop, trimToMessages(loop.history, turn, knobs.maxHistoryMessages), "message_limit");
  apply(loop, trimToBudget(loop.history, turn, budgetOf(loop, knobs.contextBudget)), "context_budget");
}

/**
 * The budget in estimated tokens, when the provider counted more than it allows; `undefined` otherwise. To be taken before
 * anything is added to the history that was sent.
 */
export function reportedBudget(loop: ToolLoop): number | undefined {
  const { execution, history, reportedTokens } = loop;
  const { contextBudget } = execution.knobs;
  // Most rounds end here, without a look at the whole history.
  if (contextBudget === 0 || reportedTokens <= contextBudget) return undefined;
  const sent = estimateHistory(history) + estimateText(systemPrompt(loop));
  return scaleBudget(contextBudget, sent, reportedTokens);
}

/** By what the provider counted, once its answer is in history. */
export function trimToReported(loop: ToolLoop, budget: number | undefined): void {
  if (budget === undefined) return;
  apply(loop, trimToBudget(loop.history, loop.identity.turn, budgetOf(loop, budget)), "context_budget");
}

/** How many history turns are left, when older ones have gone; absent when none has. */
export const turnsKept = ({ history }: ToolLoop): number | undefined =>
  // What comes from rows never begins with a note, so this one says that something was left out.
  history[0]?.kind === "note" ? history.filter(({ kind }) => kind === "user").length : undefined;

/** The history of a suspended turn as it was trimmed before: rows keep what requests leave out (CK3, CK10). */
export function withoutTrimmed(
  history: readonly HistoryEntry[],
  { turn, keptTurns }: { readonly turn: string; readonly keptTurns?: number },
): readonly HistoryEntry[] {
  if (keptTurns === undefined) return history;
  const starts = history.flatMap(({ kind }, at) => (kind === "user" ? [at] : []));
  return trimToMessages(history, turn, history.length - (starts.at(-keptTurns) ?? 0)).history;
}

/** After a provider refused a request as too long; false when nothing can go (LC25). */
export function trimAfterOverflow(loop: ToolLoop): boolean {
  const budget = overflowBudget(estimateHistory(loop.history));
  const trimmed = trimToBudget(loop.history, loop.identity.turn, { tokens: budget, overhead: 0 });
  apply(loop, trimmed, "overflow");
  if (trimmed.droppedMessages === 0) reportFixedSize(loop);
  return trimmed.droppedMessages > 0;
}

/** What no trimming can make smaller may alone be over the budget: then only the operator can help. */
function reportFixedSize(loop: ToolLoop): void {
  const { identity } = loop;
  const { knobs, ports } = loop.execution;
  const specs = offerTools(loop).specs.map(({ name, description, parameters }) =>
    JSON.stringify({ name, description, parameters }),
  );
  const tokens = estimateText(systemPrompt(loop) + specs.join(""));
  if (knobs.contextBudget === 0 || tokens <= knobs.contextBudget) return;
  const setting = knobs.historyPruning.enabled ? "history_pruning.max_tokens" : "max_context_tokens";
  ports.log("error", "context_budget_too_small", { turn: identity.turn, setting, tokens });
}

const budgetOf = (loop: ToolLoop, tokens: number) => ({
  tokens,
  overhead: estimateText(systemPrompt(loop)),
});

function apply(loop: ToolLoop, { history, droppedMessages, keptTurns }: TrimmedHistory, reason: TrimReason): void {
  if (droppedMessages === 0) return;
  loop.history.splice(0, loop.history.length, ...history);
  loop.journal.appendEvents([eventOf(loop, { type: "history_trimmed", droppedMessages, keptTurns, reason })]);
  observe(loop, () => ({ type: "history_trimmed", droppedMessages, keptTurns }));
}
