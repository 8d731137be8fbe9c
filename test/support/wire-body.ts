/** The HTTP body that the OpenAI-compatible adapter would send for a request, taken at its fetch port. */
import type { ModelRequest } from "../../src/contracts/model.ts";
import { createOpenAICompatibleProvider } from "../../src/providers/openai-compatible/openai-compatible-provider.ts";
import { collect, portsOf, settingsOf } from "../providers/support/provider-fixtures.ts";

export async function wireBodyOf(request: ModelRequest): Promise<unknown> {
  const bodies: unknown[] = [];
  const provider = createOpenAICompatibleProvider({
    name: "scripted",
    settings: settingsOf({
      kind: "openai_compatible",
      base_url: "https://models.example.com/v1",
      default_model: "m",
      max_retries: 0,
    }),
    ports: portsOf({
      fetch: async (_url, { body }) => {
        bodies.push(JSON.parse(typeof body === "string" ? body : "null"));
        return new Response("{}", { status: 400 });
      },
    }),
  });
  await collect(provider, request);
  if (bodies.length !== 1) throw new Error(`${bodies.length} requests were made`);
  return bodies[0];
}
