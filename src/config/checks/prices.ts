/** Models whose cost nobody knows: their turns count as free. Rules: SE80, CF3. */
import { type CheckedFile, createWarning, type Finding } from "../finding.ts";
import { type PathPart, selectPlaces, selectTexts } from "../value-paths.ts";

const prices = ["input_usd_per_mtok", "output_usd_per_mtok"];

/** A model where it is named, with the provider that it is asked of. */
interface NamedModel {
  readonly path: readonly PathPart[];
  readonly provider: PathPart | undefined;
  readonly model: string;
}

function namedModels(file: unknown): readonly NamedModel[] {
  const byDefault = selectTexts(file, "providers.*.default_model");
  const providers = selectTexts(file, "agents.*.model_provider");
  return [
    ...byDefault.map(({ path, value }) => ({ path, provider: path[1], model: value })),
    ...selectTexts(file, "agents.*.model").map(({ path, value }) => ({
      path,
      provider: providers.find(({ path: [, agent] }) => agent === path[1])?.value,
      model: value,
    })),
  ];
}

/** Of servers that anybody may run; vendors' models have prices of their own. */
export function checkPrices({ file }: CheckedFile): readonly Finding[] {
  const priced = prices.map((key) => selectPlaces(file, `providers.*.models.*.${key}`).map(({ path }) => path));
  const unpriced = selectTexts(file, "providers.*.kind").filter(({ value }) => value === "openai_compatible");
  return namedModels(file)
    .filter(({ provider }) => unpriced.some(({ path }) => path[1] === provider))
    .filter(({ provider, model }) =>
      priced.some((paths) => !paths.some((path) => path[1] === provider && path[3] === model)),
    )
    .map(({ path }) => createWarning(path, "has no prices under `models`, so what it costs counts as 0"));
}
