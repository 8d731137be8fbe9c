/** Entry of the measured Worker: the shipped one, with a scripted model inside and a tally of written rows. */
import type { EntryHooks } from "../../durable-objects/conversation-entry.ts";
import { createSqlPort } from "../../durable-objects/sql-port.ts";
import type { ProviderFactory } from "../../src/providers/provider-ports.ts";
import { providerFactories } from "../../src/providers/provider-registry.ts";
import worker, { ConversationObject as ShippedConversation } from "../../src/worker.ts";
import { signReceipts } from "./sign-receipts.ts";
import { createScriptedProvider } from "./scripted-provider.ts";

export { TenantObject } from "../../src/worker.ts";

/** One map for all objects: the deployment is read once for each. */
const factories: ReadonlyMap<string, ProviderFactory> = new Map([
  ...providerFactories,
  ["embedded", createScriptedProvider],
]);

/** Of all objects, which share this isolate with the entry. */
const tally = { rowsWritten: 0 };

export class ConversationObject extends ShippedConversation {
  protected override hooks(): EntryHooks {
    const count = (rows: number): void => void (tally.rowsWritten += rows);
    return { ...super.hooks(), providerKinds: factories, openSql: (storage) => createSqlPort(storage, count) };
  }
}

async function measureReceipts({ searchParams }: URL): Promise<Response> {
  return new Response(await signReceipts(Number(searchParams.get("bytes")), Number(searchParams.get("times"))));
}

export default {
  fetch: (request, env, ctx) => {
    const url = new URL(request.url);
    if (url.pathname === "/bench/receipts") return measureReceipts(url);
    return url.pathname === "/bench/tally" ? Response.json(tally) : worker.fetch(request, env, ctx);
  },
} satisfies ExportedHandler<Cloudflare.Env>;
