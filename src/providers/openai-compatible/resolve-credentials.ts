/** Puts a provider's secrets into its key and its headers, by name, and says which one is not bound. Rules: CF5, SE67. */
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import { fillHeaders } from "../../policy/secret-headers.ts";
import type { ProviderSettings } from "../provider-ports.ts";

export interface Credentials {
  readonly apiKey?: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The failure is the name of the first secret that is not bound. */
export function resolveCredentials(
  { apiKey, headers }: ProviderSettings,
  secrets: ReadonlyMap<string, string>,
): Result<Credentials, string> {
  const key = apiKey === null ? undefined : secrets.get(apiKey);
  if (apiKey !== null && key === undefined) return failWith(apiKey);
  const filled = fillHeaders(headers, secrets);
  if (!filled.ok) return filled;
  return succeed({ ...(key === undefined ? {} : { apiKey: key }), headers: filled.value });
}
