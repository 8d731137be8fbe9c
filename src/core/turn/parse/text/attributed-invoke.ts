/** F2: `<invoke name="…">` blocks with typed parameters. Rules: TP14, TP26, TP27. */
import type { JsonObject, JsonValue } from "../../../../contracts/json.ts";
import { type TextCall, isObject } from "./call-objects.ts";
import { ATTRIBUTED_INVOKE, INVOKE_CLOSE, PARAMETER, PARAMETER_CLOSE, nameAttribute } from "./markup.ts";
import { type Range, type SourceText, joinPieces, piecesWithout } from "./source-text.ts";
import type { TextReading } from "./text-reading.ts";

const WRAPPERS = /<\/?minimax:tool_?call>/g;

export function readInvokes(source: SourceText): TextReading | undefined {
  if (source.text.includes("<tools>")) return undefined;
  const blocks: Range[] = [];
  const calls: TextCall[] = [];
  for (let at = 0; ;) {
    const opening = source.firstMark(ATTRIBUTED_INVOKE, at);
    if (opening === undefined) break;
    const name = nameAttribute(opening.groups[0] ?? "");
    const closing = source.firstMark(INVOKE_CLOSE, opening.end);
    at = opening.end;
    if (name === undefined || closing === undefined) continue;
    at = closing.end;
    blocks.push({ at: opening.at, end: closing.end });
    if (name.trim() === "") continue;
    calls.push({ name: name.trim(), args: readBody(source, { at: opening.end, end: closing.at }) });
  }
  if (calls.length === 0) return undefined;
  return { calls, text: joinPieces(piecesWithout(source.text, blocks)).replace(WRAPPERS, "").trim() };
}

function readBody(source: SourceText, body: Range): JsonObject {
  const parameters = readParameters(source, body);
  if (parameters.length > 0) return Object.fromEntries(parameters);
  const value = source.json.first(body.at, body.end);
  if (value !== undefined) return isObject(value) ? value : { value };
  const content = source.text.slice(body.at, body.end).trim();
  return content === "" ? {} : { content };
}

/** Blank values are as if they were not there; of two parameters with one name the last counts. */
function readParameters(source: SourceText, body: Range): readonly (readonly [string, JsonValue])[] {
  const parameters: (readonly [string, JsonValue])[] = [];
  for (let at = body.at; ;) {
    const opening = source.firstMark(PARAMETER, at, body.end);
    if (opening === undefined) return parameters;
    const name = nameAttribute(opening.groups[0] ?? "")?.trim() ?? "";
    const closing = source.firstMark(PARAMETER_CLOSE, opening.end, body.end);
    at = name === "" || closing === undefined ? opening.end : closing.end;
    if (name === "" || closing === undefined) continue;
    const value = source.text.slice(opening.end, closing.at).trim();
    if (value !== "") parameters.push([name, source.json.first(opening.end, closing.at) ?? value]);
  }
}
