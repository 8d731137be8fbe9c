/** findCalls: the formats in their order of precedence; the first that yields a call is the one meant. Rules: TP22, TP23, TP4, PA6. */
import { readInvokes } from "./attributed-invoke.ts";
import type { TextCall } from "./call-objects.ts";
import { readCallFences } from "./call-fence.ts";
import { stripThink } from "./clean-response.ts";
import { repairFileWrite } from "./file-write-repair.ts";
import { readFunctionCalls } from "./function-call-tag.ts";
import { readNamedFences } from "./named-fence.ts";
import { readNarrowInvokes } from "./narrow-invoke.ts";
import { readPlainTags } from "./plain-tags.ts";
import { readSlashLines } from "./slash-lines.ts";
import { SourceText, joinPieces } from "./source-text.ts";
import type { FoundCalls, TextReading } from "./text-reading.ts";
import { readToolCallBlocks } from "./tool-call-block.ts";
import type { ToolNames } from "./tool-names.ts";
import { readWholeJson } from "./whole-json.ts";

/** Each looks at the whole response, and what it leaves over is all that is left over. */
const WHOLE_STAGES = [
  readWholeJson,
  ({ text }: SourceText, names: ToolNames): TextReading | undefined => {
    const call = repairFileWrite(text, names);
    return call === undefined ? undefined : { calls: [call], text: "" };
  },
  readInvokes,
] as const;
const FENCE_STAGES = [readCallFences, readNamedFences] as const;
/** Each looks at what the plain tags left, and gives what is left of that. */
const TAIL_STAGES = [readNarrowInvokes, readToolCallBlocks, readFunctionCalls, readSlashLines] as const;

/** Everything in the text that has the form of a call, whether its name is offered or not. */
export function findCalls(response: string, names: ToolNames): FoundCalls {
  const source = new SourceText(stripThink(response.toWellFormed()));
  for (const stage of WHOLE_STAGES) {
    const reading = stage(source, names);
    if (reading !== undefined) return { ...reading, lost: [] };
  }
  return readTags(source, names);
}

function readTags(source: SourceText, names: ToolNames): FoundCalls {
  const { calls, pieces, refused, tail, closed, lost: lostTags } = readPlainTags(source, names);
  let lost = lostTags;
  const withTail = (found: readonly TextCall[], rest: string): FoundCalls => ({
    calls: found,
    text: joinPieces([...pieces, rest]),
    lost,
  });
  if (calls.length > 0) return withTail(calls, source.text.slice(tail));
  for (const stage of FENCE_STAGES) {
    const reading = stage(source, names, refused);
    lost = [...lost, ...reading.lost];
    if (reading.calls.length > 0) return { ...reading, lost };
  }
  for (const stage of closed ? [] : TAIL_STAGES) {
    const reading = stage(source, names, tail);
    if (reading !== undefined) return withTail(reading.calls, reading.text);
  }
  return withTail([], source.text.slice(tail));
}
