/** Cleaning strategies: the schema keywords that a kind of provider does not take. Rules: SC5, SC10. */

export const cleaningStrategies = ["openai", "anthropic", "gemini", "conservative"] as const;
export type CleaningStrategy = (typeof cleaningStrategies)[number];

const DROPPED: Readonly<Record<CleaningStrategy, ReadonlySet<string>>> = {
  openai: words(""),
  anthropic: words("$ref $defs definitions"),
  conservative: words("$ref $defs definitions additionalProperties"),
  gemini: words(`
    $ref $schema $id $defs definitions additionalProperties patternProperties format examples
    minLength maxLength pattern minimum maximum multipleOf
    minItems maxItems uniqueItems minProperties maxProperties`),
};

function words(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/));
}

export const dropsKeyword = (strategy: CleaningStrategy, keyword: string): boolean => DROPPED[strategy].has(keyword);
