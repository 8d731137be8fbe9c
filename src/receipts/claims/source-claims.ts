/** "Source: …": a link that is given as the origin of something, and that no result of the turn contains. Rules: RE10. */
import type { ClaimFinding, ToolRun } from "../../contracts/text-check.ts";
import type { Clause } from "./clauses.ts";
import { linkText, normalizeUrl } from "./evidence.ts";

const URL = /https?:\/\/[^\s<>"'`)\]}，。；、！？（）「」]{3,2000}/gi;
const SOURCE =
  /(?<![\p{L}\p{M}])(?:sources?|references?|according to|via|from|cited|citation|see|read more|more at|based on|published|reported|found (?:at|on|here)|as per|per|link|fuentes?|referencias?|seg[uú]n|v[eé]ase|ver|consulta|de acuerdo con|publicad[oa]|enlace|m[aá]s en|obtenido de|basado en|extra[ií]do de)(?![\p{L}\p{M}])|स्रोत|संदर्भ|के अनुसार|देखें|से लिया|लिंक|प्रकाशित|के आधार पर|来源|参考|出处|根据|参见|详见|引自|链接|资料|摘自|\]\($|\[\d+\]/iu;

/** Made up on purpose. */
const EXAMPLE = /(?<!\p{L})(?:e\.g\.|for example|such as|por ejemplo)[^.]{0,30}$|उदाहरण|例如|比如/iu;

export interface SourceClaims {
  readonly runs: readonly ToolRun[];
  /** What the user wrote: links of theirs are nobody's invention. */
  readonly given: string;
}

/** Nothing is said where a result was cut: what is missing may have had it. Without any result there is nothing to compare. */
export function checkSourceClaims(clauses: readonly Clause[], { runs, given }: SourceClaims): ClaimFinding[] {
  const ran = runs.filter(({ shown }) => shown !== "");
  if (ran.length === 0 || ran.some(({ truncated }) => truncated)) return [];
  if (!clauses.some(({ text }) => text.includes("://"))) return [];
  const seen = linkText([given, ...ran.flatMap(({ shown, args }) => [shown, args])]);
  const receipts = runs.flatMap(({ receipt }) => receipt ?? []);
  return clauses.flatMap((clause, at) =>
    Array.from(clause.text.matchAll(URL)).flatMap(({ 0: url, index }) => {
      // A heading may stand on the line before.
      const heading = clauses[at - 1]?.text.slice(-40) ?? "";
      const about = `${heading} ${clause.text.slice(Math.max(0, index - 80), index)}`;
      const behind = clause.text.slice(index + url.length, index + url.length + 40);
      if (seen.includes(normalizeUrl(url)) || EXAMPLE.test(about)) return [];
      // An answer that rests on tools takes its links from them; only a word for it makes that certain.
      const confidence = SOURCE.test(about) || SOURCE.test(behind) ? 0.85 : 0.6;
      const start = clause.start + index;
      return [{ kind: "unknown_source" as const, text: url, start, end: start + url.length, receipts, confidence }];
    }),
  );
}
