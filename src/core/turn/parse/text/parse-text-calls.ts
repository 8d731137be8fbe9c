/** parseTextCalls: what a whole response asks for in text, what of it is shown, and whether it is protocol that cannot be used. Rules: TP1, TP47–TP51, TP54, TP55, TP74. */
import type { TextCall } from "./call-objects.ts";
import { ClassifiedText } from "./classified-text.ts";
import { cleanResponse } from "./clean-response.ts";
import { ToolNames } from "./tool-names.ts";

/** UTF-16 code units. A longer text is an answer, never protocol. */
export const MOST_PARSED_CHARS = 524_288;

export interface TextParsing {
  /** The names offered in this iteration, as sent; none means that no tool is offered. */
  readonly knownNames: Iterable<string>;
  /** `strict_tool_parsing`. */
  readonly strict: boolean;
  /** Whether the response has native calls that will be used. */
  readonly nativeCalls?: boolean;
  /** `detect_protocol_without_tools`; true when left out. */
  readonly detectWithoutTools?: boolean;
  /** Whether the stream guard withheld text of this response. */
  readonly withheld?: boolean;
}

/** Why a response is protocol that nobody can use. */
export type ParseIssue = "malformed" | "tag_call" | "envelope" | "withheld";

export interface ParsedText {
  /** The response text: what is stored, and what all judgements are about. */
  readonly text: string;
  readonly calls: readonly (TextCall & { readonly argumentsText: string })[];
  /** What may be shown; not to be shown when there is an issue. */
  readonly visibleText: string;
  readonly issue?: ParseIssue;
  /** Lengths of tag and fence bodies that said no call; for a warning that tells no more. */
  readonly lost: readonly number[];
}

export function parseTextCalls(response: string, parsing: TextParsing): ParsedText {
  const text = cleanResponse(response);
  const answer = { text, calls: [], visibleText: text, lost: [] };
  if (parsing.strict || parsing.nativeCalls === true || text.length > MOST_PARSED_CHARS) return answer;
  const names = new ToolNames(parsing.knownNames);
  const classified = new ClassifiedText(text, names);
  if (names.offered && !classified.isExample) {
    const { calls, text: leftOver, lost } = classified.found;
    const kept = calls.filter(({ name }) => names.isKnown(name));
    if (kept.length > 0) return { text, calls: kept.map(withArgumentsText), visibleText: leftOver, lost };
    const issue = issueWithTools(classified, parsing);
    return issue === undefined ? { ...answer, lost } : { ...answer, issue, lost };
  }
  const issue = names.offered ? undefined : issueWithoutTools(classified, parsing);
  return issue === undefined ? answer : { ...answer, issue };
}

const withArgumentsText = (call: TextCall): TextCall & { readonly argumentsText: string } => ({
  ...call,
  argumentsText: JSON.stringify(call.args),
});

function issueWithTools(classified: ClassifiedText, { withheld = false }: TextParsing): ParseIssue | undefined {
  if (classified.text === "") return undefined;
  if (classified.isMalformedForKnown) return "malformed";
  if (classified.isTagCall) return "tag_call";
  if (isReported(classified)) return "envelope";
  return withheld ? "withheld" : undefined;
}

function isReported(classified: ClassifiedText): boolean {
  const { kind } = classified;
  if (kind === undefined) return classified.looksLikeEnvelope;
  return kind === "tagged_tool_call" || kind === "tool_result" || classified.mentionsKnown;
}

function issueWithoutTools(classified: ClassifiedText, parsing: TextParsing): ParseIssue | undefined {
  const { withheld = false, detectWithoutTools = true } = parsing;
  if (withheld) return "withheld";
  if (!detectWithoutTools || classified.isExample) return undefined;
  if (classified.isMalformed) return "malformed";
  if (classified.isTagCall) return "tag_call";
  const { kind } = classified;
  const reported = kind === undefined ? classified.looksLikeEnvelope : kind === "tagged_tool_call";
  return reported ? "envelope" : undefined;
}
