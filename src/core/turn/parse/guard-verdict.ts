/** Guard verdicts: whether held text is tool protocol, is none, or cannot be told yet. Rules: TP69, TP70, TP72. */
import { isHeldToTheEnd } from "./guard-openers.ts";
import { ClassifiedText } from "./text/classified-text.ts";
import type { ToolNames } from "./text/tool-names.ts";

export type Verdict = "withhold" | "release" | "wait";

/** While more may come. Nothing is decided about what only the end can show. */
export function judgeSoFar(candidate: string, names: ToolNames): Verdict {
  return isHeldToTheEnd(candidate) ? "wait" : judge(new ClassifiedText(candidate, names), names);
}

export function judgeAtEnd(candidate: string, names: ToolNames): Verdict {
  const verdict = judge(new ClassifiedText(candidate, names), names);
  return verdict === "wait" ? "release" : verdict;
}

export function mustWithhold(candidate: string, names: ToolNames): boolean {
  return isProtocol(new ClassifiedText(candidate, names), names);
}

function judge(text: ClassifiedText, names: ToolNames): Verdict {
  if (isProtocol(text, names)) return "withhold";
  const isEnvelope = text.looksLikeEnvelope && text.mentionsKnown;
  if (text.isJsonFence) return isEnvelope && names.offered ? "withhold" : "release";
  return text.json !== undefined && !isEnvelope ? "release" : "wait";
}

function isProtocol(text: ClassifiedText, names: ToolNames): boolean {
  if (text.isExample) return false;
  if (text.isMalformedForKnown || text.isTagCall) return true;
  const { kind } = text;
  if (kind === "tagged_tool_call") return true;
  if (kind !== undefined) return names.offered && (kind === "tool_result" || text.mentionsKnown);
  return text.looksLikeEnvelope || isBareCall(text, names);
}

/** JSON that would run as a call if it were the whole response: what runs is never shown as text. */
function isBareCall(text: ClassifiedText, names: ToolNames): boolean {
  return text.json !== undefined && text.found.calls.some(({ name }) => names.isKnown(name));
}
