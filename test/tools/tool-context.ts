/** A tool context for tests: fixed ids, a fixed clock, no network and no stored results unless the test gives them. */
import type { ToolContext } from "../../src/contracts/tool.ts";

export function createTestContext(parts: Partial<ToolContext> = {}): ToolContext {
  return {
    signal: new AbortController().signal,
    tenant: "dev",
    conversation: "conv_1",
    turn: "turn_1",
    callId: "call_1",
    agent: "assistant",
    subject: "key:dev",
    fetch: () => Promise.reject(new Error("no network in this test")),
    now: () => Date.UTC(2026, 11, 1, 11, 22, 33),
    progress: () => {},
    secret: (name) => {
      throw new Error(`no secret ${name}`);
    },
    log: () => {},
    readResult: () => undefined,
    ...parts,
  };
}
