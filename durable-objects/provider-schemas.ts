/** Argument schemas as an agent's provider takes them, and what is said of tools that it cannot be sent. Rules: SC5, SC8, SC18, SC20. */
import type { AgentProfile } from "../src/contracts/agent-profile.ts";
import type { BarredTool } from "../src/contracts/turn-journal.ts";
import type { ModelBinding } from "../src/core/execution/model-binding.ts";
import { createSchemaCleaner } from "../src/tools/schema-cleaning/schema-cleaner.ts";
import { type ScopedRegistry, UNSENDABLE } from "../src/tools/scoped-registry.ts";
import type { Deployment } from "./deployment.ts";
import { systemPorts } from "./system-ports.ts";

type CleanSchema = ModelBinding["cleanSchema"];

/** Its memory is one frame's: what a request brings must not outlive its turn. */
export function schemaCleanerFor({ config }: Deployment, provider: string): CleanSchema {
  const clean = createSchemaCleaner();
  const strategy = config.providers.get(provider)?.schemaStrategy ?? "conservative";
  return (schema) => clean(schema, strategy);
}

/** Whether the agent's provider has refused this very definition before. */
export const isBarred = (barred: readonly BarredTool[], { modelProvider }: AgentProfile, hash: string): boolean =>
  barred.some(({ provider, definitionHash }) => provider === modelProvider && definitionHash === hash);

/** Once for each frame, not for each request. */
export function reportDisabled(registry: ScopedRegistry, { alias, modelProvider }: AgentProfile): void {
  for (const { definition } of registry.unsendable) {
    const fields = { tool: definition.name, agent: alias, provider: modelProvider, reason: UNSENDABLE };
    systemPorts.log("warn", "tool_quarantined", fields);
  }
}
