/** What a tool is given beside its arguments: ids, guarded fetch, declared secrets, a log. Rules: TC10, TC11, TC12. */
import type { AgentProfile } from "../src/contracts/agent-profile.ts";
import type { ToolContext } from "../src/contracts/tool.ts";
import type { ToolContextOf } from "../src/core/execution/resolved-agent-execution.ts";
import { createToolFetch } from "../src/tools/guarded-fetch.ts";
import type { TurnParts } from "./assemble.ts";
import { systemPorts } from "./system-ports.ts";

export function createToolContext(
  { deployment, turn, scope }: TurnParts,
  { alias }: AgentProfile,
  of: ToolContextOf,
): ToolContext {
  const { config, egress, secrets } = deployment;
  const { log } = systemPorts;
  const ids = { turn: turn.id, call: of.callId };
  return {
    signal: of.signal,
    tenant: scope.tenant,
    conversation: scope.conversation,
    turn: turn.id,
    callId: of.callId,
    agent: alias,
    subject: turn.subject,
    ...(of.idempotencyKey === undefined ? {} : { idempotencyKey: of.idempotencyKey }),
    fetch: createToolFetch({
      fetch: (url, init) => fetch(url, init),
      rules: egress,
      signal: of.signal,
      maxBytes: config.egress.maxFetchBytes,
      log: (level, code, fields) => log(level, code, { ...ids, ...fields }),
    }),
    now: systemPorts.now,
    progress: of.progress,
    secret: (name) => {
      const value = of.secrets.includes(name) ? secrets.get(name) : undefined;
      if (value === undefined) throw new Error(`the secret ${name} is not declared by this tool, or not bound`);
      return value;
    },
    log: (level, code, fields) => log(level, code, { ...ids, ...fields }),
    ...(of.searchable === undefined ? {} : { searchable: of.searchable }),
    ...(of.readResult === undefined ? {} : { readResult: of.readResult }),
    ...(of.memory === undefined ? {} : { memory: of.memory }),
    ...(of.models === undefined ? {} : { models: of.models }),
  };
}
