/** What a configured model can do: the model's own setting, else its provider's, else the default. Rules: TS20, PV4. */
import type { ModelCapabilities } from "../contracts/model.ts";
import type { ProviderSettings } from "./provider-ports.ts";

const DEFAULT_MAX_OUTPUT_TOKENS = 4096;

export function capabilitiesOf(settings: ProviderSettings, model: string): ModelCapabilities {
  const own = settings.models.get(model);
  return {
    nativeTools: own?.nativeTools ?? settings.nativeTools ?? true,
    streaming: true,
    streamingTools: own?.streamingTools ?? settings.streamingTools ?? true,
  };
}

export const maxOutputTokensOf = (settings: ProviderSettings, model: string): number =>
  settings.models.get(model)?.maxOutputTokens ?? DEFAULT_MAX_OUTPUT_TOKENS;
