/** Conversations with deferred tools: stubs by name, and what the model was offered of them. */
import { type CoreConversation, type CoreSetup, type TurnSetup, openConversation } from "./core-fixture.ts";
import { type ScriptedCall, calls, says } from "./scripted-provider.ts";
import { createNoting } from "./test-tools.ts";

export const deferred = { mcp: { deferred_loading: true } } as const;
const full = { risk: { level: "full" } } as const;

/** A tool of MCP origin that notes what it was run with. */
export const createStub = (name: string, flags: Parameters<typeof createNoting>[1] = {}) =>
  createNoting(name, { origin: "mcp", ...flags });

export const openDeferred = (names: readonly string[], setup: CoreSetup = {}): CoreConversation =>
  openConversation({ ...full, ...deferred, tools: names.map((name) => createStub(name).tool), ...setup });

export const search = (query: string, more: object = {}): ScriptedCall => ({
  name: "tool_search",
  args: { query, ...more },
});
export const load = (...names: readonly string[]): ScriptedCall => search(`select:${names.join(",")}`);

/** One turn that loads these, in this order. */
export const loadIn = (conversation: CoreConversation, names: readonly string[], turn: TurnSetup = {}) =>
  conversation.run([calls(load(...names)), says("ok")], turn);

/** Real names in the order of a request's specs; the last request's by default. */
export const offeredIn = ({ provider }: CoreConversation, at = -1): readonly string[] =>
  provider.requests.at(at)?.tools.map(({ tool }) => tool) ?? [];

/** The same of tools that a server would have. */
export const foreignIn = (conversation: CoreConversation, at = -1): readonly string[] =>
  offeredIn(conversation, at).filter((name) => name.includes("__"));

export const systemIn = ({ provider }: Pick<CoreConversation, "provider">, at = -1): string =>
  provider.requests.at(at)?.system ?? "";
