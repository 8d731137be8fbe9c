/** Approver: whom a call that prompts is put to, or why nobody is asked. Rules: AP8–AP10. */
import type { ApprovalAsker } from "../../contracts/approval.ts";
import * as sentences from "./runtime-sentences.ts";
import type { ToolLoop } from "./turn-context.ts";

export type Approver =
  | (ApprovalAsker & { readonly kind: "asks"; readonly fallback?: ApprovalAsker })
  | { readonly kind: "nobody"; readonly disposition: "denied" | "unavailable"; readonly sentence: string };

const nobodyMay: Approver = { kind: "nobody", disposition: "denied", sentence: sentences.deniedByPolicy };
const nobodyThere: Approver = { kind: "nobody", disposition: "unavailable", sentence: sentences.noApprover };

/** A route goes before the channel that the turn came by, and reaches a person also where that one cannot. */
export function findApprover({ execution, identity }: ToolLoop): Approver {
  const { knobs, risk, approvers } = execution;
  if (knobs.approvals === "deny") return nobodyMay;
  const own = identity.interactive ? { channel: identity.channel, timeoutSecs: risk.approvalTimeoutSecs } : undefined;
  const asksOwn: Approver = own === undefined ? nobodyMay : { kind: "asks", ...own };
  const { approvalRoute: route } = risk;
  if (route === null) return asksOwn;
  const inherits = route.onNoApprover === "inherit_originator";
  if (!approvers.exists(route.approverChannel)) return inherits ? asksOwn : nobodyThere;
  const fallback = inherits && own !== undefined ? { fallback: own } : {};
  return { kind: "asks", channel: route.approverChannel, timeoutSecs: route.timeoutSecs, ...fallback };
}
