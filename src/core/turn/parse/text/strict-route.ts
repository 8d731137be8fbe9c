/** checkStrictRoute: strict parsing has no way to call tools on a route where only some members take native calls. Rules: TP74, TP75, PV3. */
import { type Result, failWith, succeed } from "../../../../contracts/result.ts";

export interface RouteMember {
  readonly provider: string;
  readonly nativeTools: boolean;
}
export interface StrictRoute {
  readonly strict: boolean;
  readonly toolsOffered: boolean;
  /** The model route in the order of its attempts. */
  readonly route: readonly RouteMember[];
}

/** The failure names the route; it comes before any request. */
export function checkStrictRoute({ strict, toolsOffered, route }: StrictRoute): Result<undefined, string> {
  const isMixed = route.some(({ nativeTools }) => nativeTools) && route.some(({ nativeTools }) => !nativeTools);
  if (!strict || !toolsOffered || !isMixed) return succeed(undefined);
  const members = route.map(({ provider, nativeTools }) => `${provider} (${nativeTools ? "native" : "text only"})`);
  return failWith(`strict_tool_parsing needs one way to call tools on the route ${members.join(" → ")}`);
}
