/** What the loop guards know of a call, and which calls they look at. Rules: LC10, LC11. */
import type { Disposition, LoopCall } from "../../../contracts/call.ts";
import { matchesAny } from "../../../policy/name-pattern.ts";

export interface EndedCall extends LoopCall {
  /** Digest of the raw output. */
  readonly outputDigest: string;
  readonly disposition: Disposition;
  readonly success: boolean;
}

const COUNTED: ReadonlySet<Disposition> = new Set(["succeeded", "replaced", "client_result"]);

/** Failures are not looked at: trying again after one is no loop. */
export const countsForLoops = ({ tool, disposition, success }: EndedCall, ignored: readonly string[]): boolean =>
  success && COUNTED.has(disposition) && !matchesAny(ignored, tool);
