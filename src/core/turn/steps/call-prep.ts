/** Step 4, call preparation: the whole batch is hooked, resolved and checked before anybody judges it or any of it runs. Rules: CP1, CP3–CP7, CP11–CP13, CP20, CP21. */
import type { ModelCall } from "../../../contracts/call.ts";
import type { JsonObject } from "../../../contracts/json.ts";
import type { Tool } from "../../../contracts/tool.ts";
import { TOOL_SEARCH } from "../../../policy/builtin-tool.ts";
import { canonicalJson } from "../../../receipts/canonical-json.ts";
import { utf8 } from "../../../receipts/digest.ts";
import { applyBeforeHooks, repairArguments } from "../call-hooks.ts";
import { applyDeliveryDefaults } from "../delivery-defaults.ts";
import { callSignature } from "../guards/duplicate-calls.ts";
import { blockedByLoop } from "../guards/guard-sentences.ts";
import type { CallFault, ParsedCall } from "../parse/read-calls.ts";
import { freezeJson } from "../plain-json.ts";
import { type FoundTool, resolveTool, unavailable } from "../resolve-tool.ts";
import * as sentences from "../runtime-sentences.ts";
import { type UnrunReason, unrunAs } from "../settle-unrun.ts";
import type { ToolLoop } from "../turn-context.ts";

/** A call that is resolved and whose arguments fit its tool; nobody has judged it yet. */
export interface PreparedCall {
  readonly call: ModelCall;
  readonly tool: Tool;
  /** Of the definition that the call was prepared for; an approval binds to it (AP5). */
  readonly definitionHash: string;
  /** JSON as it will be approved, digested and recorded: after hooks, without an approval marker, frozen. */
  readonly args: JsonObject;
  readonly argsDigest: string;
  /** Equal for calls of one tool with equal arguments, whatever their key order (CP14). */
  readonly signature: string;
}

export type Preparation = (
  | { readonly kind: "prepared"; readonly prepared: PreparedCall }
  | { readonly kind: "settled"; readonly call: ModelCall; readonly reason: UnrunReason }
) & {
  /** Arguments as the model gave them, when a hook made another call of it or stopped it (DI1). */
  readonly requested?: JsonObject;
};

/** One entry per call, in call order. Nothing here has an effect outside the turn. */
export async function prepareCalls(loop: ToolLoop, calls: readonly ParsedCall[]): Promise<readonly Preparation[]> {
  const preparations: Preparation[] = [];
  for (const [index, parsed] of calls.entries()) {
    const searchedBefore = calls.slice(0, index).some(({ call }) => call.tool === TOOL_SEARCH);
    preparations.push(await prepareCall(loop, parsed, searchedBefore));
  }
  return preparations;
}

async function prepareCall(loop: ToolLoop, parsed: ParsedCall, searchedBefore: boolean): Promise<Preparation> {
  const { call } = parsed;
  const settle = (reason: UnrunReason): Preparation => ({ kind: "settled", call, reason });
  if (loop.cancel.aborted) return settle({ disposition: "interrupted", sentence: sentences.NOT_RUN });
  const given = await readableArguments(loop, parsed);
  if ("reason" in given) return settle(given.reason);
  const hooked = await applyBeforeHooks(loop, { call, tool: call.tool, args: given.args });
  if ("cancelled" in hooked) {
    const sentence = sentences.hookCancelled(hooked.cancelled);
    return { ...settle({ disposition: "hook_cancelled", sentence }), requested: given.args };
  }
  const changed = hooked.tool !== call.tool || !isSame(hooked.args, given.args);
  const preparation = await prepareHooked(loop, { call, searchedBefore, repaired: given.repaired, ...hooked });
  return changed ? { ...preparation, requested: given.args } : preparation;
}

/** Most calls have no hook that rewrites them: then it is the same object, and nothing is spelled out. */
const isSame = (args: JsonObject, given: JsonObject): boolean =>
  args === given || canonicalJson(args) === canonicalJson(given);

interface HookedCall {
  readonly call: ModelCall;
  readonly tool: string;
  readonly args: JsonObject;
  readonly repaired: boolean;
  readonly searchedBefore: boolean;
}

/** What is left of a call behind the hooks: its tool, its arguments as they would be dispatched. */
async function prepareHooked(loop: ToolLoop, hooked: HookedCall): Promise<Preparation> {
  const { call, searchedBefore } = hooked;
  const settle = (reason: UnrunReason): Preparation => ({ kind: "settled", call, reason });
  const resolution = resolveTool(loop, hooked.tool, searchedBefore);
  if (resolution.kind !== "granted") return settle(unresolved(hooked.tool, resolution));
  const { tool } = resolution;
  const args = withoutApprovalMarker(tool, applyDeliveryDefaults(loop.identity, tool, hooked.args));
  const fitting = await fittingArguments(loop, { call, tool, args, mayRepair: !hooked.repaired });
  if ("reason" in fitting) return settle(fitting.reason);
  const prepared = await sealArguments(loop, call, { tool, args: fitting.args });
  const blocked = { tool: tool.definition.name, argsDigest: prepared.argsDigest };
  if (!loop.guards.loopDetector.isBlocked(blocked.tool, blocked.argsDigest)) return { kind: "prepared", prepared };
  return settle({ ...unrunAs(prepared, "refused", blockedByLoop(blocked.tool)), blocked });
}

/** Arguments that could not be read are offered to the repair hooks once (CP4). */
async function readableArguments(
  loop: ToolLoop,
  { call, fault }: ParsedCall,
): Promise<{ args: JsonObject; repaired: boolean } | { reason: UnrunReason }> {
  if (fault === undefined) return { args: call.args ?? {}, repaired: false };
  if (fault.kind !== "bad_arguments") return { reason: reasonOf(fault) };
  const repaired = await repairArguments(loop, call, call.tool);
  return repaired === undefined ? { reason: reasonOf(fault) } : { args: repaired, repaired: true };
}

interface Fitting {
  readonly call: ModelCall;
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly mayRepair: boolean;
}

/** Judged without the marker, before the gate; a repair may mend what the schema refuses, if none was used yet (CP12). */
async function fittingArguments(
  loop: ToolLoop,
  { call, tool, args, mayRepair }: Fitting,
): Promise<{ args: JsonObject } | { reason: UnrunReason }> {
  const checked = tool.checkArguments(args);
  if (checked.ok) return { args };
  const repaired = mayRepair ? await repairArguments(loop, call, tool.definition.name) : undefined;
  const mended = repaired === undefined ? undefined : withoutApprovalMarker(tool, repaired);
  if (mended !== undefined && tool.checkArguments(mended).ok) return { args: mended };
  return {
    reason: { disposition: "invalid_arguments", sentence: sentences.invalidArguments(checked.failure), tool },
  };
}

async function sealArguments(
  { execution }: ToolLoop,
  call: ModelCall,
  { tool, args: fitting }: { readonly tool: Tool; readonly args: JsonObject },
): Promise<PreparedCall> {
  const args = freezeJson(fitting);
  const canonical = canonicalJson(args);
  const signature = callSignature(tool.definition.name, canonical);
  const argsDigest = await execution.ports.digest(utf8(canonical));
  return { call, tool, definitionHash: tool.definitionHash, args, signature, argsDigest };
}

function unresolved(name: string, resolution: Exclude<FoundTool, { readonly kind: "granted" }>): UnrunReason {
  return resolution.kind === "unknown"
    ? { disposition: "unknown_tool", sentence: sentences.unknownTool(name, resolution.suggestions) }
    : { disposition: "not_available", sentence: unavailable(name, resolution) };
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
export function withoutApprovalMarker(tool: Tool, args: JsonObject): JsonObject {
  if (!Object.hasOwn(args, "approved")) return args;
  const { properties } = tool.definition.inputSchema;
  const declared = typeof properties === "object" && properties !== null && Object.hasOwn(properties, "approved");
  if (declared && !tool.approvalMarker) return args;
  return Object.fromEntries(Object.entries(args).filter(([name]) => name !== "approved"));
}
