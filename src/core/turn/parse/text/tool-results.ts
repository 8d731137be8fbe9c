/** renderToolResults: how results go back to a model that calls in text, and how readers are spared the sight. Rules: TP77–TP79. */

const HEADING = "[Tool results]";

export interface RenderedResult {
  /** As the model called it. */
  readonly name: string;
  readonly callId: string;
  readonly success: boolean;
  /** As the model is to see it, receipt line included. */
  readonly text: string;
}

/** The one user message that answers a batch, in model order. */
export function renderToolResults(results: readonly RenderedResult[]): string {
  return [HEADING, ...results.map(renderResult)].join("\n");
}

function renderResult({ name, callId, success, text }: RenderedResult): string {
  const status = success ? "ok" : "error";
  const opening = `<tool_result name="${escape(name)}" call="${escape(callId)}" status="${status}">`;
  return `${opening}\n${containText(text)}\n</tool_result>`;
}

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ["&", "&amp;"],
  ['"', "&quot;"],
  ["<", "&lt;"],
]);
const escape = (attribute: string): string => attribute.replace(/[&"<]/g, (sign) => ENTITIES.get(sign) ?? sign);

/** Text that was made inert holds none of these; whatever was not cannot leave its block either. */
const containText = (text: string): string =>
  text.replace(/<(?=\/?tool_result)/gi, "<\\").replace(/^\[(?=tool results\])/gim, "[\\");

const HIDDEN = [
  ["<tool_result", "</tool_result>"],
  ["<thinking>", "</thinking>"],
  ["<think>", "</think>"],
] as const;

/** For display and summaries, never for what is stored. */
export function hideProtocol(text: string): string {
  const shown = HIDDEN.reduce((rest, [opening, closing]) => withoutBlocks(rest, opening, closing), text);
  return shown
    .replace(/^\[Tool results\]\s*/gm, "")
    .trim()
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

/** Closed blocks alone; an opening tag that is never closed stays. */
function withoutBlocks(text: string, opening: string, closing: string): string {
  let kept = "";
  for (let at = 0; ;) {
    const start = text.indexOf(opening, at);
    const inside = start < 0 ? -1 : text.indexOf(">", start + opening.length - 1);
    const end = inside < 0 ? -1 : text.indexOf(closing, inside);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + closing.length;
  }
}
