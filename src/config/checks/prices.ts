/** Models whose cost nobody knows: their turns count as free. Rules: SE80, CF3. */
import { type CheckedFile, createWarning, type Finding } from "../finding.ts";
import { selectTexts, selectPlaces } from "../value-paths.ts";

const prices = ["input_usd_per_mtok", "output_usd_per_mtok"];

/** Of servers that anybody may run; vendors' models have prices of their own. */
export function checkPrices({ file }: CheckedFile): readonly Finding[] {
  const priced = prices.map((key) => selectPlaces(file, `providers.*.models.*.${key}`).map(({ path }) => path));
  const hasPrices = (provider: unknown, model: string): boolean =>
    priced.every((paths) => paths.some((path) => path[1] === provider && path[3] === model));
  return selectTexts(file, "providers.*.kind")
    .filter(({ value }) => value === "openai_compatible")
    .flatMap(({ path: [, provider] }) =>
      selectTexts(file, "providers.*.default_model")
        .filter(({ path, value }) => path[1] === provider && !hasPrices(provider, value))
        .map(({ path }) => createWarning(path, "has no prices under `models`, so what it costs counts as 0")),
    );
}
