/** Vector suites: how a row of each kind is run, and what comes of it. Rules: TP81. */
import type { JsonObject, JsonValue } from "../../src/contracts/json.ts";
import { createMarkerStripper } from "../../src/core/turn/parse/marker-stripper.ts";
import { createStreamGuard } from "../../src/core/turn/parse/stream-guard.ts";
import { type TextStage, createThinkStripper } from "../../src/core/turn/parse/think-stripper.ts";
import { type TextCall, isObject } from "../../src/core/turn/parse/text/call-objects.ts";
import { ClassifiedText } from "../../src/core/turn/parse/text/classified-text.ts";
import { stripTrailingMarkers } from "../../src/core/turn/parse/text/clean-response.ts";
import { findCalls } from "../../src/core/turn/parse/text/find-calls.ts";
import { parseTextCalls } from "../../src/core/turn/parse/text/parse-text-calls.ts";
import { ToolNames } from "../../src/core/turn/parse/text/tool-names.ts";
import { hideProtocol } from "../../src/core/turn/parse/text/tool-results.ts";
import { cleanSchema } from "../../src/tools/schema-cleaning/clean-schema.ts";
import { needsCleaning } from "../../src/tools/schema-cleaning/needs-cleaning.ts";
import { cleaningStrategies } from "../../src/tools/schema-cleaning/strategies.ts";

interface VectorSuite {
  readonly fits: (row: JsonObject) => boolean;
  readonly run: (row: JsonObject) => JsonObject;
}

/** The `suite` field decides; a row without one is known by the fields that only its kind has. */
const suite = (name: string, ownFields: readonly string[], run: VectorSuite["run"]): VectorSuite => ({
  fits: (row) => (row["suite"] === undefined ? ownFields.some((field) => isOwn(row, field)) : row["suite"] === name),
  run,
});
const isOwn = (row: JsonObject, field: string): boolean =>
  Object.hasOwn(row, field) || (isObject(row["expect"]) && Object.hasOwn(row["expect"], field));

export const vectorSuites: readonly VectorSuite[] = [
  suite("parser", ["calls", "turn", "classify"], runParser),
  suite("stream", ["chunks"], runStream),
  suite("cleanup", ["strip_tool_result_blocks", "strip_trailing_terminal_markers"], runCleanup),
  suite("schema", ["schema"], runSchema),
];

function runParser(row: JsonObject): JsonObject {
  const input = text(row, "input");
  const tools = texts(row, "tools");
  const names = new ToolNames(tools);
  const { calls, text: leftOver } = findCalls(input, names);
  const turn = parseTextCalls(input, { knownNames: tools, strict: row["strict"] === true });
  return {
    calls: calls.map(toVector),
    text: leftOver,
    turn: { calls: turn.calls.map(toVector), display: turn.visibleText, parse_issue: turn.issue !== undefined },
    classify: classify(new ClassifiedText(input, names)),
  };
}

const toVector = ({ name, args, id }: TextCall): JsonObject => ({
  name,
  arguments: args,
  ...(id === undefined ? {} : { id }),
});

const classify = (classified: ClassifiedText): JsonObject => ({
  envelope: classified.kind ?? null,
  looks_like_envelope: classified.looksLikeEnvelope,
  malformed: classified.isMalformed,
  malformed_for_known: classified.isMalformedForKnown,
  tag_call: classified.isTagCall,
  mentions_known: classified.mentionsKnown,
  incomplete: classified.isIncomplete,
  example: classified.isExample,
});

function runStream(row: JsonObject): JsonObject {
  const chunks = texts(row, "chunks");
  if (text(row, "kind") !== "guard")
    return runStage(row["kind"] === "think" ? createThinkStripper() : createMarkerStripper(), chunks);
  const guard = createStreamGuard(texts(row, "tools"));
  const pushes = chunks.map((chunk) => guard.push(chunk) || null);
  const { text: rest, withheld } = guard.end();
  return { pushes, finish: rest || null, suppressed: withheld };
}

function runStage(stage: TextStage, chunks: readonly string[]): JsonObject {
  const pushes = chunks.map((chunk) => stage.push(chunk));
  return { pushes, finish: stage.end() };
}

function runCleanup(row: JsonObject): JsonObject {
  const input = text(row, "input");
  return {
    strip_tool_result_blocks: hideProtocol(input),
    strip_trailing_terminal_markers: stripTrailingMarkers(input),
  };
}

function runSchema(row: JsonObject): JsonObject {
  const { schema } = row;
  const strategy = cleaningStrategies.find((name) => name === row["strategy"]);
  if (!isObject(schema) || strategy === undefined) throw new Error("the row has no schema or no known strategy");
  return { cleaned: cleanSchema(schema, strategy), needs_cleaning: needsCleaning(schema, strategy) };
}

function text(row: JsonObject, field: string): string {
  const value = row[field];
  if (typeof value !== "string") throw new Error(`the row has no text ${field}`);
  return value;
}

function texts(row: JsonObject, field: string): readonly string[] {
  const value: JsonValue | undefined = row[field];
  if (!Array.isArray(value)) throw new Error(`the row has no list ${field}`);
  return value.map(String);
}
