/** F8b: fenced code blocks named after a tool, each JSON value in one a call. Rules: TP14, TP38, TP23. */
import { type TextCall, isObject } from "./call-objects.ts";
import { type FenceForm, readFences } from "./fences.ts";
import { REPAIRED_TOOL, repairFileWriteArguments } from "./file-write-repair.ts";
import type { Mark, Range, SourceText } from "./source-text.ts";
import type { FoundCalls } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const FORM: FenceForm = {
  opening: /```tool\s+([\p{Alphabetic}\p{N}_]+)\s*\n/gu,
  closing: /```/g,
  mayStayOpen: true,
};

export function readNamedFences(source: SourceText, names: ToolNames, refused: readonly Range[]): FoundCalls {
  return readFences(source, refused, {
    ...FORM,
    readBody: (body, opening) => readBody(source, names, { ...opening, body }),
  });
}

interface NamedFence extends Mark {
  readonly body: Range;
}

function readBody({ text, json }: SourceText, names: ToolNames, { body, groups }: NamedFence): readonly TextCall[] {
  const name = groups[0] ?? "";
  const values = json.values(body.at, body.end);
  if (values.length > 0) return values.map((value) => ({ name, args: isObject(value) ? value : {} }));
  if (names.resolve(name) !== REPAIRED_TOOL) return [];
  const args = repairFileWriteArguments(text.slice(body.at, body.end));
  return args === undefined ? [] : [{ name, args }];
}
