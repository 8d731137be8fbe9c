/** Name patterns: an exact name, a lone `*`, or a name with one `*` for any run of characters. Rules: SE90, TS4, RG6, FG3. */
import { foldAscii } from "./fold-ascii.ts";

/** Case-sensitive. Prefix and suffix never share characters: `ab*ba` does not match `aba`. */
export function matchesPattern(pattern: string, name: string): boolean {
  const star = pattern.indexOf("*");
  if (star < 0) return pattern === name;
  const suffix = pattern.slice(star + 1);
  return name.length >= star + suffix.length && name.startsWith(pattern.slice(0, star)) && name.endsWith(suffix);
}

export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => matchesPattern(pattern, name));
}

/** The matcher of `excluded_tools` alone: a stray space or capital must not let a tool through. */
export function matchesExcluded(patterns: readonly string[], name: string): boolean {
  const folded = foldAscii(name.trim());
  return patterns.some((pattern) => matchesPattern(foldAscii(pattern.trim()), folded));
}
