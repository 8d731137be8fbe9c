/** Why a tenant may not go on: a quota that is full, an id that is spent. Rules: HP3, SE83, DU46. */
import type { Problem } from "../contracts/errors.ts";

export interface FullQuota {
  /** As `violated-policies` names it. */
  readonly policy: string;
  /** Seconds until it is worth coming back; absent: the usual wait. */
  readonly retryAfterSecs?: number;
}

export const quotaExceeded = ({ policy, retryAfterSecs }: FullQuota): Problem => ({
  slug: "quota-exceeded",
  detail: "A limit of this tenant is reached.",
  members: { "violated-policies": [policy] },
  ...(retryAfterSecs === undefined ? {} : { headers: { "retry-after": String(retryAfterSecs) } }),
});

export const conversationDeleted: Problem = {
  slug: "conversation-deleted",
  detail: "This conversation was deleted. Its id is not used again.",
};
