/** Headers of a configured peer: the secrets that they name are put in, or the one that is missing is named. Rules: CF5, SE31, SE67. */
import { type Result, failWith, succeed } from "../contracts/result.ts";

const REFERENCE = /\$\{secret:([^}]+)\}/g;

/** Ready to be sent. The failure is the name of the first secret that is not bound. */
export function fillHeaders(
  headers: ReadonlyMap<string, string>,
  secrets: ReadonlyMap<string, string>,
): Result<Readonly<Record<string, string>>, string> {
  let missing: string | undefined;
  const filled = Array.from(headers, ([header, template]): [string, string] => [
    header,
    template.replaceAll(REFERENCE, (_, name: string) => {
      const value = secrets.get(name);
      if (value === undefined) missing ??= name;
      return value ?? "";
    }),
  ]);
  return missing === undefined ? succeed(Object.fromEntries(filled)) : failWith(missing);
}
