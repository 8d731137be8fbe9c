/** Step 7, execution: one started call runs against its time limit and the turn's cancel; whatever comes back is classified. Rules: EX1–EX6, EX10, DI9, TC7–TC9, TC12. */
import type { Disposition } from "../../contracts/call.ts";
import type { JsonValue } from "../../contracts/json.ts";
import type { Tool, ToolContext, ToolResult } from "../../contracts/tool.ts";
import { MEMORY_RECALL, MEMORY_STORE, MODEL_SWITCH, READ_RESULT, TOOL_SEARCH } from "../../policy/builtin-tool.ts";
import type { ToolContextOf } from "../execution/resolved-agent-execution.ts";
import { searchableTools } from "./activated-tool-set.ts";
import { openProgress } from "./call-progress.ts";
import { switchableModels } from "./model-switch.ts";
import { toPlainJson } from "./plain-json.ts";
import * as sentences from "./runtime-sentences.ts";
import type { StartedCall } from "./steps/dispatch.ts";
import type { ToolLoop } from "./turn-context.ts";

const MOST_DATA_BYTES = 1_048_576;

/** What a run came to, before anything is made of it. `text` is normalised: well-formed, never empty. */
export interface RawResult {
  readonly disposition: Extract<Disposition, "succeeded" | "failed" | "timed_out" | "interrupted" | "outcome_unknown">;
  readonly text: string;
  /** The runtime's own sentence, which no bound applies to (BD2). */
  readonly ownWords: boolean;
  readonly data?: JsonValue;
  /** Its data was not of the shape that the tool promises, and is gone (TC9). */
  readonly outputSchemaMismatch?: true;
}

/** A result is `undefined` when what came back was none. */
type Settled = { readonly result: ToolResult | undefined } | { readonly thrown: string } | "timed_out" | "cancelled";

const cutShort: RawResult = { disposition: "interrupted", text: sentences.OUTCOME_UNKNOWN, ownWords: true };

/** The request may have been taken, and is never made again (EX10). */
const outcomeUnknown: RawResult = { ...cutShort, disposition: "outcome_unknown" };

export async function executeCall(loop: ToolLoop, { approved, idempotencyKey }: StartedCall): Promise<RawResult> {
  const { tool, call, parsedArgs } = approved;
  const { ports, knobs } = loop.execution;
  // The cancel may have come while the fence was written (DI5).
  if (loop.cancel.aborted) return cutShort;
  const seconds = tool.timeoutSecs ?? knobs.toolTimeoutSecs;
  const scope = ports.createCancelScope();
  const progress = openProgress(loop, call.callId);
  const context = loop.execution.createToolContext({
    callId: call.callId,
    progress: progress.tell,
    secrets: tool.secrets,
    ...reachOf(loop, tool),
    signal: scope.signal,
    ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
  });
  const run = runTool(tool, parsedArgs, context);
  const settled = await firstOf(loop, run, seconds);
  progress.close();
  if (settled === "timed_out" || settled === "cancelled") {
    scope.cancel();
    reportLateResult(loop, call.callId, run);
    return settled === "timed_out"
      ? { disposition: "timed_out", text: sentences.timedOut(tool.definition.name, seconds), ownWords: true }
      : cutShort;
  }
  if ("thrown" in settled) return failed(settled.thrown);
  return ofResult(loop, tool, settled.result);
}

/** What a built-in is given of the runtime; no other tool is given anything. */
function reachOf(loop: ToolLoop, tool: Tool): Partial<ToolContextOf> {
  if (tool.origin !== "builtin") return {};
  switch (tool.definition.name) {
    case READ_RESULT:
      return { readResult: (range) => loop.journal.readResult(range) };
    case TOOL_SEARCH:
      return { searchable: searchableTools(loop) };
    case MEMORY_STORE:
    case MEMORY_RECALL:
      return { memory: loop.journal.memory(loop.execution.agent.alias) };
    case MODEL_SWITCH:
      return { models: switchableModels(loop) };
    default:
      return {};
  }
}

/** Never rejects: what a tool throws is its failure, and so is what throws when it is read. */
async function runTool(tool: Tool, args: unknown, context: ToolContext): Promise<Settled> {
  try {
    return { result: readToolResult(await tool.execute(args, context)) };
  } catch (thrown) {
    return { thrown: describeThrown(tool, thrown) };
  }
}

/** The message without its stack; not everything that can be thrown has a string form. */
function describeThrown({ definition: { name } }: Tool, thrown: unknown): string {
  try {
    const words = String(thrown instanceof Error ? thrown.message : thrown);
    return `${name} failed: ${words.trim() === "" ? "it threw without saying why" : words}`;
  } catch {
    return `${name} failed: it threw what cannot be shown`;
  }
}

/** Whichever comes first; a tool that ignores its signal is not waited for. */
function firstOf(loop: ToolLoop, run: Promise<Settled>, seconds: number): Promise<Settled> {
  return new Promise((resolve) => {
    const finish = (settled: Settled): void => {
      stopTimer();
      loop.cancel.removeEventListener("abort", cancel);
      resolve(settled);
    };
    const cancel = (): void => finish("cancelled");
    const stopTimer = loop.execution.ports.startTimer(seconds * 1000, () => finish("timed_out"));
    loop.cancel.addEventListener("abort", cancel, { once: true });
    if (loop.cancel.aborted) cancel();
    void run.then(finish);
  });
}

/** A result after settlement changes nothing: one log line, no row, no event (DU11). */
function reportLateResult(loop: ToolLoop, callId: string, run: Promise<Settled>): void {
  void run.then(() => loop.execution.ports.log("warn", "late_tool_result", { call: callId, turn: loop.identity.turn }));
}

function ofResult(loop: ToolLoop, tool: Tool, result: ToolResult | undefined): RawResult {
  if (result === undefined) return failed(`${tool.definition.name} failed: it did not return a tool result`);
  if (!result.success && result.outcomeUnknown === true && tool.origin === "mcp") return outcomeUnknown;
  const kept = keepData(loop, tool, result.data);
  const { data } = kept;
  const disposition = result.success ? "succeeded" : "failed";
  const raw = { disposition, text: resultText(result), ownWords: false } as const;
  if (!result.success || data === undefined || tool.fitsOutput?.(data) !== false) return { ...raw, ...kept };
  // It did run: to call that a failure would invite a second run.
  loop.execution.ports.log("warn", "output_schema_mismatch", { tool: tool.definition.name, turn: loop.identity.turn });
  return { ...raw, outputSchemaMismatch: true };
}

const failed = (text: string): RawResult => ({ disposition: "failed", text: text.toWellFormed(), ownWords: false });

/** What a result says, well-formed and never empty, whoever ran the call. */
export const resultText = (result: ToolResult): string =>
  (result.success ? result.output || "(no output)" : failureText(result)).toWellFormed();

/** The model gets both the error and the tool's own output (EX4). */
function failureText({ error, output }: Extract<ToolResult, { success: false }>): string {
  if (error === "") return output || "failed without a reason";
  return output === undefined || output === "" ? `Error: ${error}` : `Error: ${error}\n\n${output}`;
}

/** A string is a success; anything that is no ToolResult is the tool's fault (TC7, EX6). Each member is read once. */
function readToolResult(returned: unknown): ToolResult | undefined {
  if (typeof returned === "string") return { success: true, output: returned };
  if (typeof returned !== "object" || returned === null) return undefined;
  const {
    success,
    output,
    error,
    data,
    outcomeUnknown: unknown,
  } = returned as {
    readonly [member in keyof AnyResult]?: unknown;
  };
  const kept = data === undefined ? {} : { data: data as JsonValue };
  if (success === true) return typeof output === "string" ? { success, output, ...kept } : undefined;
  if (success !== false || (output === undefined && error === undefined)) return undefined;
  if (!isTextOrAbsent(output) || !isTextOrAbsent(error)) return undefined;
  const lost = unknown === true ? { outcomeUnknown: true as const } : {};
  return { success, error: error ?? "", ...(output === undefined ? {} : { output }), ...kept, ...lost };
}

type AnyResult = ToolResult & { readonly error?: string; readonly outcomeUnknown?: true };

const isTextOrAbsent = (value: unknown): value is string | undefined =>
  value === undefined || typeof value === "string";

/** Data that is no JSON, nested deeper than 64 or over 1 MiB, is dropped with a warning; the result stands (TC8). */
function keepData(loop: ToolLoop, tool: Tool, data: JsonValue | undefined): { data?: JsonValue } {
  if (data === undefined) return {};
  const kept = toPlainJson(data, MOST_DATA_BYTES);
  if (kept !== undefined) return { data: kept };
  loop.execution.ports.log("warn", "tool_data_dropped", { tool: tool.definition.name, turn: loop.identity.turn });
  return {};
}
