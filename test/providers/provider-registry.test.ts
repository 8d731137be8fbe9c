/** Which provider a configuration entry becomes. */
import { expect, test } from "vitest";
import type { ModelProvider } from "../../src/contracts/model.ts";
import type { ProviderFactory } from "../../src/providers/provider-ports.ts";
import { createProviders } from "../../src/providers/provider-registry.ts";
import { collect, faultOf, portsOf, requestOf, settingsOf, textOf } from "./support/provider-fixtures.ts";

const configured = new Map([
  ["embedded", settingsOf({ kind: "embedded" })],
  ["claude", settingsOf({ kind: "anthropic", default_model: "c" })],
  ["both", settingsOf({ kind: "route", members: ["claude"] })],
]);

function one(providers: ReadonlyMap<string, ModelProvider>, name: string): ModelProvider {
  const provider = providers.get(name);
  if (provider === undefined) throw new Error(`${name} is missing`);
  return provider;
}

test("every entry has its provider, under its name, in file order", () => {
  const providers = createProviders(configured, portsOf());
  expect([...providers].map(([name, provider]) => [name, provider.name, provider.defaultModel])).toEqual([
    ["embedded", "embedded", "planner"],
    ["claude", "claude", "c"],
    ["both", "both", ""],
  ]);
});

test("a kind that is not built fails its own calls, in words, and nobody else's", async () => {
  const providers = createProviders(configured, portsOf());
  expect(faultOf(await collect(one(providers, "claude"), requestOf({})))).toEqual({
    kind: "not_configured",
    message: 'providers of kind "anthropic" are not available in this build',
  });
  expect(textOf(await collect(one(providers, "embedded"), requestOf({})))).toContain("embedded planner");
});

test("a kind may be added", async () => {
  const echo: ProviderFactory = ({ name }) => ({
    name,
    defaultModel: "echo",
    capabilities: () => ({ nativeTools: true, streaming: true, streamingTools: true }),
    maxOutputTokens: () => 1,
    async *stream({ model }) {
      yield { type: "text", text: model };
    },
  });
  const settings = { ...settingsOf({ kind: "embedded" }), kind: "echo" };
  const providers = createProviders(new Map([["bench", settings]]), portsOf(), new Map([["echo", echo]]));
  expect(await collect(one(providers, "bench"), requestOf({ model: "x" }))).toEqual([{ type: "text", text: "x" }]);
});
