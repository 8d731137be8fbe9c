/** Step 5, approval gate: which prepared calls may run; only what passes here can be dispatched. Rules: AP1, AP2, AP8, AP9. */
import { judgeApproval } from "../../../policy/approval-policy.ts";
import * as sentences from "../runtime-sentences.ts";
import type { UnrunReason } from "../settle-unrun.ts";
import type { ToolLoop } from "../turn-context.ts";
import type { PreparedCall } from "./call-prep.ts";

declare const approved: unique symbol;
/** A prepared call that policy lets run. The brand is made here and nowhere else. */
export type ApprovedCall = PreparedCall & { readonly [approved]: true };

export type GateDecision =
  | { readonly kind: "approved"; readonly approved: ApprovedCall }
  | { readonly kind: "settled"; readonly prepared: PreparedCall; readonly reason: UnrunReason };

/** Judges one call; a call that needs a person has nobody to ask yet and is settled as such. */
export async function passGate(loop: ToolLoop, prepared: PreparedCall): Promise<GateDecision> {
  const { risk, knobs, ports } = loop.execution;
  const { tool, args } = prepared;
  const { requirement } = await judgeApproval({ tool, args, rules: risk, startTimer: ports.startTimer });
  if (requirement !== "prompt") return { kind: "approved", approved: prepared as ApprovedCall };
  const reason: UnrunReason =
    knobs.approvals === "deny"
      ? { disposition: "denied", sentence: sentences.deniedByPolicy, tool }
      : { disposition: "unavailable", sentence: sentences.noApprover, tool };
  return { kind: "settled", prepared, reason };
}
