/** Fences: code blocks of one form found in a whole response, with the text around them. Rules: TP18, TP23, TP37, TP38. */
import type { TextCall } from "./call-objects.ts";
import { type Mark, type Range, type SourceText, indexFrom, joinPieces, piecesWithout } from "./source-text.ts";
import type { FoundCalls } from "./text-reading.ts";

export interface FenceForm {
  readonly opening: RegExp;
  readonly closing: RegExp;
  /** Whether the end of the text closes a fence too. */
  readonly mayStayOpen: boolean;
}
export interface FenceReader extends FenceForm {
  readonly readBody: (body: Range, opening: Mark) => readonly TextCall[];
}

/** Fences that touch a refused span are text. When no fence gives a call, all of it stays text. */
export function readFences(
  source: SourceText,
  refused: readonly Range[],
  { opening, closing, mayStayOpen, readBody }: FenceReader,
): FoundCalls {
  const fences: Range[] = [];
  const calls: (readonly TextCall[])[] = [];
  const lost: number[] = [];
  for (let mark = source.firstMark(opening, 0); mark !== undefined;) {
    const end = source.firstMark(closing, mark.end);
    const fence = { at: mark.at, end: end?.end ?? source.text.length };
    const isRead = end !== undefined || mayStayOpen;
    if (isRead && !touches(refused, fence)) {
      const body = { at: mark.end, end: end?.at ?? fence.end };
      const read = readBody(body, mark);
      if (read.length === 0) lost.push(body.end - body.at);
      fences.push(fence);
      calls.push(read);
    }
    mark = source.firstMark(opening, isRead ? fence.end : mark.end);
  }
  const found = calls.flat();
  const { text } = source;
  return { calls: found, text: found.length === 0 ? text : joinPieces(piecesWithout(text, fences)), lost };
}

/** The spans lie apart and in order, so the last that begins before the fence ends is the one that could reach into it. */
function touches(spans: readonly Range[], fence: Range): boolean {
  const span = spans[indexFrom(spans, fence.end) - 1];
  return span !== undefined && fence.at < span.end;
}
