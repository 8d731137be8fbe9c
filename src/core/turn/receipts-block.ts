/** The receipts block: what a final text may end with, for the reader alone. Rules: RE11. */
import type { ToolLoop } from "./turn-context.ts";

/** Begins with its blank line; `""` when the agent does not ask for it, nothing was signed, or the reader is another agent. */
export function receiptsBlock({ execution: { agent }, shared: { receipts }, frame }: ToolLoop): string {
  if (frame.parentAgent !== undefined) return "";
  if (!agent.toolReceipts.showInResponse || receipts.length === 0) return "";
  const lines = receipts.map(({ tool, receipt }) => `\n  ${tool}: ${receipt}`);
  return `\n\n---\nTool receipts:${lines.join("")}`;
}
