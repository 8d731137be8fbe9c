/** Step 4, call preparation: the whole batch is resolved, checked and deduplicated before any call of it runs. Rules: CP1, CP7, CP11, CP12, CP14, CP18–CP21. */
import type { ModelCall } from "../../../contracts/call.ts";
import type { JsonObject } from "../../../contracts/json.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { matchesAny } from "../../../policy/name-pattern.ts";
import { foldAscii } from "../../../policy/fold-ascii.ts";
import { canonicalJson } from "../../../receipts/canonical-json.ts";
import { utf8 } from "../../../receipts/digest.ts";
import type { CallFault, ParsedCall } from "../parse/native-calls.ts";
import * as sentences from "../runtime-sentences.ts";
import type { UnrunReason } from "../settle-unrun.ts";
import type { ToolLoop } from "../turn-context.ts";

/** A call that is resolved and whose arguments fit its tool; nobody has judged it yet. */
export interface PreparedCall {
  readonly call: ModelCall;
  readonly tool: Tool;
  /** JSON as the model gave it, without an approval marker: what is approved, digested and recorded. */
  readonly args: JsonObject;
  /** The schema's own reading of `args`: what `execute` gets (TC3). */
  readonly parsedArgs: unknown;
  readonly argsDigest: string;
}

export type Preparation =
  | { readonly kind: "prepared"; readonly prepared: PreparedCall }
  | { readonly kind: "settled"; readonly call: ModelCall; readonly reason: UnrunReason };

/** One entry per call, in call order. Nothing here has an effect outside the turn. */
export async function prepareCalls(loop: ToolLoop, calls: readonly ParsedCall[]): Promise<readonly Preparation[]> {
  const seen = new Map<string, string>();
  const preparations: Preparation[] = [];
  for (const parsed of calls) preparations.push(await prepareCall(loop, parsed, seen));
  return preparations;
}

async function prepareCall(
  loop: ToolLoop,
  { call, fault }: ParsedCall,
  seen: Map<string, string>,
): Promise<Preparation> {
  const settle = (reason: UnrunReason): Preparation => ({ kind: "settled", call, reason });
  if (loop.cancel.aborted) return settle({ disposition: "interrupted", sentence: sentences.NOT_RUN });
  if (fault !== undefined) return settle(reasonOf(fault));
  const resolution = loop.execution.registry.resolve(call.tool);
  if (resolution.kind === "unknown") {
    return settle({ disposition: "unknown_tool", sentence: sentences.unknownTool(call.tool, resolution.suggestions) });
  }
  if (resolution.kind === "not_available") {
    return settle({ disposition: "not_available", sentence: sentences.notAvailable(call.tool) });
  }
  const { tool } = resolution;
  const args = withoutApprovalMarker(tool, call.args ?? {});
  const checked = tool.checkArguments(args);
  if (!checked.ok) {
    return settle({ disposition: "invalid_arguments", sentence: sentences.invalidArguments(checked.failure), tool });
  }
  const canonical = canonicalJson(args);
  const earlier = seen.get(signature(tool, canonical));
  if (earlier !== undefined && !mayRepeat(loop, tool)) {
    return settle({ disposition: "duplicate", sentence: sentences.duplicateOf(earlier), tool });
  }
  seen.set(signature(tool, canonical), earlier ?? call.callId);
  const argsDigest = await loop.execution.ports.digest(utf8(canonical));
  return { kind: "prepared", prepared: { call, tool, args, parsedArgs: checked.value, argsDigest } };
}

function reasonOf(fault: CallFault): UnrunReason {
  switch (fault.kind) {
    case "truncated":
      return { disposition: "truncated_call", sentence: sentences.truncatedCall };
    case "over_limit":
      return { disposition: "refused", sentence: sentences.tooManyCalls(fault.limit) };
    case "bad_arguments":
      return {
        disposition: "invalid_arguments",
        sentence: sentences.invalidArguments([{ path: "", message: fault.reason }]),
      };
    default:
      return fault satisfies never;
  }
}

/** A model cannot approve its own call: `approved` goes, unless the tool's own schema declares it (CP11). */
function withoutApprovalMarker(tool: Tool, args: JsonObject): JsonObject {
  if (!Object.hasOwn(args, "approved")) return args;
  const { properties } = tool.definition.inputSchema;
  const declared = typeof properties === "object" && properties !== null && Object.hasOwn(properties, "approved");
  if (declared && !tool.approvalMarker) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== "approved"));
}

/** Key order never matters, array order does (CP14). */
const signature = (tool: Tool, canonicalArgs: string): string =>
  `${foldAscii(tool.definition.name.trim())}\n${canonicalArgs}`;

function mayRepeat({ execution: { knobs } }: ToolLoop, tool: Tool): boolean {
  return !knobs.dedupEnabled || tool.reEntrant || matchesAny(knobs.toolCallDedupExempt, tool.definition.name);
}
