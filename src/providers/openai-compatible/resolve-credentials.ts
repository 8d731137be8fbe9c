/** Puts a provider's secrets into its headers, by name, and says which one is not bound. Rules: CF5, SE67. */
import { type Result, failWith, succeed } from "../../contracts/result.ts";
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
  const missing: string[] = [];
  const valueOf = (name: string): string => {
    const value = secrets.get(name);
    if (value === undefined) missing.push(name);
    return value ?? "";
  };
  const key = apiKey === null ? undefined : valueOf(apiKey);
  const filled = Array.from(headers, ([header, value]): [string, string] => [
    header,
    value.replaceAll(/\$\{secret:([^}]+)\}/g, (_, name: string) => valueOf(name)),
  ]);
  const [first] = missing;
  if (first !== undefined) return failWith(first);
  return succeed({ ...(key === undefined ? {} : { apiKey: key }), headers: Object.fromEntries(filled) });
}
