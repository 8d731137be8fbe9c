/** What a model provider is built from: its surroundings as ports, its settings as data. Rules: SE33, CF5. */
import type { ProviderSettings as ConfiguredProvider } from "../contracts/config/providers.ts";
import type { ModelProvider } from "../contracts/model.ts";
import type { SystemPorts } from "../contracts/ports.ts";
import type { Result } from "../contracts/result.ts";
import type { EgressFault } from "../policy/egress-refusal.ts";

/** The egress guard's verdict on a URL; a refusal names its class. */
export type JudgeUrl = (url: string) => Result<unknown, EgressFault>;

export interface ProviderPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  readonly judge: JudgeUrl;
  readonly startTimer: SystemPorts["startTimer"];
  /** Every bound secret by its name, looked up for requests. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Takes secrets, in every spelling, out of text that comes from a provider's failure (SE68). */
  readonly clean: (text: string) => string;
}

/** What every kind of provider is configured with. `kind` is open, so that a bench can bring one of its own. */
export type ProviderSettings = { readonly kind: string } & Omit<ConfiguredProvider, "kind">;

export interface ProviderConfig {
  readonly name: string;
  readonly settings: ProviderSettings;
  readonly ports: ProviderPorts;
}

export type ProviderFactory = (config: ProviderConfig) => ModelProvider;
