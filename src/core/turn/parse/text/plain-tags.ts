/** F3: the plain tags of a response from left to right, each with its body or with what can be saved of it. Rules: TP20, TP21, TP28, TP29. */
import { type TextCall, callsOfValue } from "./call-objects.ts";
import { repairFileWrite } from "./file-write-repair.ts";
import { CLOSE_TAG, PLAIN_TAG, closeTagOf } from "./markup.ts";
import { readShorthand } from "./shorthand-body.ts";
import type { Mark, Range, SourceText } from "./source-text.ts";
import { isJsonBody, readTagBody } from "./tag-body.ts";
import type { ToolNames } from "./tool-names.ts";
import { readToolsTag } from "./tools-tag.ts";

/** What one tag came to. `lost` counts the characters of a body that said nothing. */
export type TagStep =
  | { readonly kind: "read"; readonly calls: readonly TextCall[]; readonly end: number; readonly lost?: number }
  /** Nothing in the span may become a call; `piece` is what of it stays as text. */
  | { readonly kind: "refused"; readonly span: Range; readonly piece?: string }
  /** The tag and all behind it are left as they are; `closed` when they may hide a call. */
  | { readonly kind: "stuck"; readonly closed: boolean };

export interface TagReading {
  readonly calls: readonly TextCall[];
  readonly pieces: readonly string[];
  readonly refused: readonly Range[];
  /** Where the part begins that no tag took. */
  readonly tail: number;
  /** No later stage may look into the tail. */
  readonly closed: boolean;
  /** Lengths of the bodies that were dropped without a call. */
  readonly lost: readonly number[];
}

export function readPlainTags(source: SourceText, names: ToolNames): TagReading {
  const calls: (readonly TextCall[])[] = [];
  const pieces: string[] = [];
  const refused: Range[] = [];
  const lost: number[] = [];
  let tail = 0;
  let closed = false;
  for (let tag = source.firstMark(PLAIN_TAG, 0); tag !== undefined; tag = source.firstMark(PLAIN_TAG, tail)) {
    pieces.push(source.text.slice(tail, tag.at));
    const step = tag.groups[0] === "tools" ? readToolsTag(source, tag, names) : readTag(source, tag, names);
    if (step.kind === "stuck") {
      tail = tag.at;
      closed = step.closed;
      if (closed) refused.push({ at: tag.at, end: source.text.length });
      break;
    }
    if (step.kind === "refused") {
      refused.push(step.span);
      pieces.push(step.piece ?? "");
      tail = step.span.end;
    } else {
      calls.push(step.calls);
      if (step.lost !== undefined) lost.push(step.lost);
      tail = step.end;
    }
  }
  return { calls: calls.flat(), pieces, refused, tail, closed, lost };
}

function readTag(source: SourceText, tag: Mark, names: ToolNames): TagStep {
  const closing = source.firstMark(closeTagOf(tag.groups[0] ?? ""), tag.end);
  if (closing === undefined) return recover(source, tag, names);
  const calls = readTagBody(source, { at: tag.end, end: closing.at }, names);
  if (calls.length > 0) return { kind: "read", calls, end: closing.end };
  const body = source.text.slice(tag.end, closing.at);
  // An odd quote means that the close tag stood inside a string: whatever follows may be part of an argument.
  if (isJsonBody(body) && endsInsideString(body)) {
    return { kind: "refused", span: { at: tag.at, end: source.text.length } };
  }
  return { kind: "read", calls, end: closing.end, lost: body.length };
}

/** A tag without its own close tag. */
function recover(source: SourceText, tag: Mark, names: ToolNames): TagStep {
  const { text, json } = source;
  const foreign = source.firstMark(CLOSE_TAG, tag.end);
  if (foreign !== undefined) {
    const calls = readTagBody(source, { at: tag.end, end: foreign.at }, names);
    if (calls.length > 0) return { kind: "read", calls, end: foreign.end };
  }
  const found = json.next(tag.end, text.length);
  const calls = found === undefined ? [] : callsOfValue(found.value, names);
  if (found !== undefined && calls.length > 0) return { kind: "read", calls, end: skipCloseTags(text, found.end) };
  const rest = text.slice(tag.end);
  const last = repairFileWrite(rest, names) ?? readShorthand(rest, names);
  if (last !== undefined) return { kind: "read", calls: [last], end: text.length };
  return { kind: "stuck", closed: isJsonBody(rest) };
}

const ANY_CLOSE_TAG = /\s*<\/[^<>]*>/y;

function skipCloseTags(text: string, from: number): number {
  let end = from;
  for (ANY_CLOSE_TAG.lastIndex = end; ANY_CLOSE_TAG.test(text);) end = ANY_CLOSE_TAG.lastIndex;
  return end;
}

function endsInsideString(body: string): boolean {
  let inside = false;
  for (let at = 0; at < body.length; at += 1) {
    const character = body.charAt(at);
    if (character === "\\") at += 1;
    else if (character === '"') inside = !inside;
  }
  return inside;
}
