/** What a config file imports as `countersign`. Rules: CF1. */
import { z } from "zod";

const configSchema = z.object({ agents: z.record(z.string(), z.object({ model_provider: z.string() })) });

export type CountersignConfig = z.input<typeof configSchema>;

/** Types the config; checking happens when the Worker or `config:check` reads it. */
export function defineConfig(config: CountersignConfig): CountersignConfig {
  return config;
}
