/** Entry of the Worker: the HTTP edge over the conversation objects that this deployment binds. */
import { toolsOfAgent } from "../durable-objects/agent-tools.ts";
import { environmentOf, judgeClientUrl, loadDeployment } from "../durable-objects/deployment.ts";
import { systemPorts } from "../durable-objects/system-ports.ts";
import { failWith } from "./contracts/result.ts";
import { createApp } from "./http/app.ts";
import type { Dependencies, Deployment } from "./http/dependencies.ts";
import { conversationObjectName, tenantObjectName } from "./http/object-name.ts";
import { version } from "./contracts/version.ts";

export { ConversationObject } from "../durable-objects/conversation.ts";
export { TenantObject } from "../durable-objects/tenant.ts";

/** With faults there are no agents: the edge answers that nothing is configured. */
function edgeDeployment(env: Cloudflare.Env): Deployment {
  const reading = loadDeployment(env);
  const environment = environmentOf(env.COUNTERSIGN_ENV);
  if (!reading.ok) return { environment, faults: reading.failure, agents: [], defaultAgent: "", corsOrigins: [] };
  const { agents, defaultAgent, cors } = reading.value.config;
  return { environment, faults: [], agents: [...agents.values()], defaultAgent, corsOrigins: cors.allowOrigins };
}

const dependenciesOf = (env: Cloudflare.Env): Dependencies => ({
  config: () => edgeDeployment(env),
  describeTools: async (alias) => {
    const reading = loadDeployment(env);
    const agent = reading.ok ? reading.value.config.agents.get(alias) : undefined;
    return reading.ok && agent !== undefined ? toolsOfAgent(reading.value, agent, {}).describe() : [];
  },
  judgeUrl: (url, ownHost) => {
    const reading = loadDeployment(env);
    return reading.ok ? judgeClientUrl(reading.value, url, ownHost) : failWith({ class: "not_allowed" });
  },
  conversations: (tenant, conversation) => env.CONVERSATIONS.getByName(conversationObjectName(tenant, conversation)),
  tenants: (tenant) => env.TENANTS.getByName(tenantObjectName(tenant)),
  log: systemPorts.log,
  version,
  commit: env.COUNTERSIGN_COMMIT ?? "unknown",
});

const apps = new WeakMap<Cloudflare.Env, ReturnType<typeof createApp>>();

/** One app for each set of bindings, which is one for each isolate. */
function appOf(env: Cloudflare.Env): ReturnType<typeof createApp> {
  const app = apps.get(env) ?? createApp(dependenciesOf(env));
  apps.set(env, app);
  return app;
}

export default {
  fetch: (request, env, ctx) => appOf(env).fetch(request, env, ctx),
} satisfies ExportedHandler<Cloudflare.Env>;
