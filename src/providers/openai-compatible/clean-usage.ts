/** A server's token counts, as far as they are counts. Rules: UP16, SE85. */
import { isObject } from "../../contracts/json.ts";
import type { JsonRecord } from "./json-record.ts";

/** The provider package's shape for usage, and in it whether all that was said could be used. */
export interface CleanUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly prompt_tokens_details: { readonly cached_tokens?: number };
  readonly completion_tokens_details: { readonly reasoning_tokens?: number };
  /** True when both totals came and no count had to be left out. */
  readonly complete: boolean;
}

/** The package refuses the whole response for a count of a wrong type, and would charge a negative one. */
export function cleanUsage(usage: JsonRecord): CleanUsage {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage;
  const cached = detailOf(usage["prompt_tokens_details"], "cached_tokens");
  const reasoning = detailOf(usage["completion_tokens_details"], "reasoning_tokens");
  return {
    ...(isCount(prompt) ? { prompt_tokens: prompt } : {}),
    ...(isCount(completion) ? { completion_tokens: completion } : {}),
    prompt_tokens_details: isCount(cached) ? { cached_tokens: cached } : {},
    completion_tokens_details: isCount(reasoning) ? { reasoning_tokens: reasoning } : {},
    complete: isCount(prompt) && isCount(completion) && [cached, reasoning].every(isCountOrAbsent),
  };
}

/** A safe integer, 0 or more. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

const isCountOrAbsent = (value: unknown): boolean => value === undefined || value === null || isCount(value);

/** Details of a wrong type are a wrong count. */
const detailOf = (details: unknown, name: string): unknown => (isObject(details) ? details[name] : details);
