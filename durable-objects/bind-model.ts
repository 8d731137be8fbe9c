/** What a frame calls: a configured provider with its model, its prices, and the schemas that it takes. Rules: LC29, RX7, SC4. */
import type { ModelBinding } from "../src/core/execution/model-binding.ts";
import { createAbsentProvider } from "../src/providers/absent-provider.ts";
import type { Deployment } from "./deployment.ts";
import { schemaCleanerFor } from "./provider-schemas.ts";

/** Null is the provider's own choice. Only a turn that waited can name a provider that is gone. */
export function bindModel(
  deployment: Deployment,
  named: { readonly provider: string; readonly model: string | null },
): ModelBinding {
  const { config, providers } = deployment;
  const provider = providers.get(named.provider) ?? createAbsentProvider(named.provider);
  const model = named.model ?? provider.defaultModel;
  const known = config.providers.get(named.provider)?.models.get(model);
  const input = known?.inputUsdPerMtok ?? 0;
  return {
    provider,
    model,
    price: { input, cachedInput: known?.cachedInputUsdPerMtok ?? input, output: known?.outputUsdPerMtok ?? 0 },
    cleanSchema: schemaCleanerFor(deployment, named.provider),
  };
}
