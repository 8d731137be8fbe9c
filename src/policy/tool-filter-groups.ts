/** Tool filter groups: which MCP tools a turn's message keeps out of sight; they hide and never grant. Rules: TS5–TS7, TS9, TS10, FG1–FG3. */
import type { ToolFilterGroup } from "../contracts/agent-profile.ts";
import type { InputPart } from "../contracts/message.ts";
import type { ToolOrigin } from "../contracts/tool.ts";
import { foldAscii } from "./fold-ascii.ts";
import { matchesAny } from "./name-pattern.ts";

export interface FilterableTool {
  /** Real name. */
  readonly name: string;
  readonly origin: ToolOrigin;
}

/** What keywords are looked for in: the text parts as the user wrote them, and nothing else of the input (FG2). */
export const filterMessage = (parts: readonly InputPart[]): string =>
  parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");

/**
 * Real names of the hidden tools. Computed once, from the message that started the turn or the delegate frame (TS7); it
 * hides stubs and activated tools alike, so `tools` are all granted ones.
 */
export function hiddenTools(
  groups: readonly ToolFilterGroup[],
  tools: readonly FilterableTool[],
  message: string,
): ReadonlySet<string> {
  if (groups.length === 0) return new Set();
  const folded = foldAscii(message);
  const shown = groups.filter((group) => isOpen(group, folded)).flatMap((group) => group.tools);
  const hidden = tools.filter(({ name, origin }) => origin === "mcp" && !matchesAny(shown, name));
  return new Set(hidden.map(({ name }) => name));
}

const isOpen = ({ mode, keywords }: ToolFilterGroup, foldedMessage: string): boolean =>
  mode === "always" || keywords.some((keyword) => foldedMessage.includes(foldAscii(keyword)));

/** Whether a group that is always open names the tool: then it is loaded without a search (TS10). */
export const isAlwaysShown = (groups: readonly ToolFilterGroup[], name: string): boolean =>
  groups.some(({ mode, tools }) => mode === "always" && matchesAny(tools, name));
