/** parseUrl: the guard's view of a URL through the parser that fetch itself uses. Rules: SE34. */
import type { ParsedUrl } from "../policy/egress-guard.ts";

export function parseUrl(raw: string, base?: string): ParsedUrl | undefined {
  return URL.canParse(raw, base) ? new URL(raw, base) : undefined;
}
