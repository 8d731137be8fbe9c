/** Known credential shapes in a text, whole values wherever they stand: keys, tokens, cookies, passwords in URLs. Rules: SE69, SE71. */
import { credentialShapes } from "../contracts/credential-shapes.ts";
import { MARK } from "./marks.ts";
import { redactPrivateKeys } from "./private-keys.ts";

/**
 * With a word boundary a shape may begin behind every hyphen, and a text of hyphens and prefixes would be read once for each.
 * These begin only where no run of key characters goes on, so that all of them together take one pass.
 */
const KEY_SOURCES = credentialShapes
  .filter(({ pattern }) => !pattern.ignoreCase)
  .map(({ pattern }) => pattern.source.replace(/^\\b/, ""));
const KEYS = new RegExp(`(?<![A-Za-z0-9_-])(?:${KEY_SOURCES.join("|")})`, "g");
const NAMED = /^AccountKey=/;

/** `://` first: a scheme may begin anywhere, these three signs may not. */
const URL_PASSWORD = /:\/\/[^\s/?#@:]*:[^\s/?#@]+@/g;
/** At least one `name=`, then to the end of the line or of the string that it stands in. */
const COOKIES =
  /(?<![A-Za-z0-9_-])((?:set-)?cookie\\?["']?\s*[:=]\s*\\?["']?)[^\s=;,:"'\\()<>@/[\]?{}]+=[^\r\n"'\\]*/gi;
const CONNECTION_PASSWORD = /(?<![A-Za-z0-9_-])(password|pwd)=([^\s;"'{}]{6,})/gi;
/** What the rule for key words makes of a value (RE23). */
const SHORTENED = /^[^\s*]{4}\*\[REDACTED\]$/u;

export function redactShapes(text: string): string {
  return redactPrivateKeys(text)
    .replace(COOKIES, (_, name: string) => name + MARK)
    .replace(URL_PASSWORD, `://${MARK}@`)
    .replace(KEYS, (found) => (NAMED.exec(found)?.[0] ?? "") + MARK);
}

/** Comes after the rule for key words, and leaves what that has shortened as it is. */
export function redactConnectionPasswords(text: string): string {
  return text.replace(CONNECTION_PASSWORD, (found, key: string, value: string) =>
    SHORTENED.test(value) ? found : `${key}=${MARK}`,
  );
}
