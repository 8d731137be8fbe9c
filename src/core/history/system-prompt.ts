/** The system prompt: the agent's own words and what the runtime adds to them; the same bytes all turn long. Rules: TS11, TS23, HI9, RE10. */
import type { ToolLoop } from "../turn/turn-context.ts";

const ABOUT_RECEIPTS =
  'A tool result may end with a line of the form "[receipt: zc-receipt-…]". It is the runtime\'s signature under that one execution. When you quote it, quote it to the letter: a receipt that is missing or altered shows that the call was made up. Never write one yourself.';

export function systemPrompt({ execution, listing }: Pick<ToolLoop, "execution" | "listing">): string {
  const { agent, signReceipt } = execution;
  const parts = [agent.systemPrompt.trim()];
  if (signReceipt !== undefined && agent.toolReceipts.injectSystemPrompt) parts.push(ABOUT_RECEIPTS);
  parts.push(listing.text);
  return parts.filter((part) => part !== "").join("\n\n");
}
