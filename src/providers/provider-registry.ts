/** Every configured provider by name, each built by the factory of its kind. Rules: CF3, UP1. */
import type { ModelProvider } from "../contracts/model.ts";
import { createEmbeddedProvider } from "./embedded/embedded-provider.ts";
import { capabilitiesOf, maxOutputTokensOf } from "./model-abilities.ts";
import { createOpenAICompatibleProvider } from "./openai-compatible/openai-compatible-provider.ts";
import type { ProviderFactory, ProviderPorts, ProviderSettings } from "./provider-ports.ts";

export const providerFactories: ReadonlyMap<string, ProviderFactory> = new Map<string, ProviderFactory>([
  ["embedded", createEmbeddedProvider],
  ["openai_compatible", createOpenAICompatibleProvider],
]);

/** A kind without a factory yields a provider whose every call fails as `not_configured`: one bad entry stops nobody else's turn. */
export function createProviders(
  configured: ReadonlyMap<string, ProviderSettings>,
  ports: ProviderPorts,
  factories: ReadonlyMap<string, ProviderFactory> = providerFactories,
): ReadonlyMap<string, ModelProvider> {
  return new Map(
    Array.from(configured, ([name, settings]): [string, ModelProvider] => {
      const create = factories.get(settings.kind) ?? createMissingProvider;
      return [name, create({ name, settings, ports })];
    }),
  );
}

const createMissingProvider: ProviderFactory = ({ name, settings }) => ({
  name,
  defaultModel: settings.defaultModel ?? "",
  capabilities: (model) => capabilitiesOf(settings, model),
  maxOutputTokens: (model) => maxOutputTokensOf(settings, model),
  async *stream() {
    const message = `providers of kind "${settings.kind}" are not available in this build`;
    yield { type: "fault", fault: { kind: "not_configured", message } };
  },
});
