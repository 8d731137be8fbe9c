/** F8a: fenced code blocks whose language says that they hold a call. Rules: TP37, TP23. */
import { callsOfValues } from "./call-objects.ts";
import { type FenceForm, readFences } from "./fences.ts";
import { repairFileWrite } from "./file-write-repair.ts";
import type { Range, SourceText } from "./source-text.ts";
import type { FoundCalls } from "./text-reading.ts";
import type { ToolNames } from "./tool-names.ts";

const FORM: FenceForm = {
  opening: /```(?:tool[_-]?call|invoke)\s*\n/g,
  closing: /```|<\/(?:tool[_-]?call|invoke|minimax:toolcall)>/g,
  mayStayOpen: false,
};

export function readCallFences(source: SourceText, names: ToolNames, refused: readonly Range[]): FoundCalls {
  let found = false;
  return readFences(source, refused, {
    ...FORM,
    readBody: ({ at, end }) => {
      const calls = callsOfValues(source.json.values(at, end), names);
      const repaired = found || calls.length > 0 ? undefined : repairFileWrite(source.text.slice(at, end), names);
      found ||= calls.length > 0 || repaired !== undefined;
      return repaired === undefined ? calls : [repaired];
    },
  });
}
