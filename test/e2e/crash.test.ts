/** A server killed in the middle of turns and started again on the same data: nothing shown is lost, nothing runs twice, the conversations go on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  acceptStream,
  type ApiClient,
  createApiClient,
  eventOf,
  framesOf,
  freshConversation,
  idOf,
  onlyEvent,
  readFrames,
  streamTurn,
} from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { type ModelConfig, writeModelConfig } from "../support/model-config.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { readStoredValues } from "../support/object-databases.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";

const persistTo = mkdtempSync(join(tmpdir(), "countersign-state-"));
const midTool = freshConversation("killed-in-a-tool");
const midText = freshConversation("killed-in-text");
const bigResult = freshConversation("big-before-kill");
/** What was read of each conversation before the kill. */
const seen = new Map<string, readonly string[]>();

let model: ModelServer;
let config: ModelConfig;
let server: RunningServer;
let client: ApiClient;

const pathOf = (conversation: string, tail: string): string => `/v1/conversations/${conversation}/${tail}`;
const post = (conversation: string, input: string): Promise<Response> =>
  client.post(pathOf(conversation, "turns"), { input }, acceptStream);
const readLog = async (conversation: string): Promise<readonly string[]> =>
  framesOf(await (await client.get(pathOf(conversation, "events?turn=trn_1"), acceptStream)).text());

async function startAgain(): Promise<void> {
  server = await startServer({ configFile: config.file, persistTo });
  client = createApiClient(server);
}

beforeAll(async () => {
  model = await startModelServer(({ messages }) => {
    const last = messages.at(-1);
    const asked = last?.role === "user" ? JSON.stringify(last.content) : "";
    if (asked.includes("a slow tool")) return { kind: "call", id: "call_k", name: "slow", args: { ms: 60_000 } };
    if (asked.includes("a huge text"))
      return { kind: "call", id: "call_b", name: "big_text", args: { chars: 5_000_000 } };
    if (asked.includes("many words")) return { kind: "text", tokens: Array(200).fill("word "), tokenMs: 50 };
    return { kind: "text", tokens: ["All is well."] };
  });
  config = writeModelConfig({ model: model.port });
  await startAgain();
  seen.set(bigResult, (await streamTurn(client, bigResult, { input: "a huge text" })).frames);
  // Up to `tool_call`: accepted, started, usage. Of the text some deltas.
  seen.set(midTool, await readFrames(await post(midTool, "a slow tool"), 4));
  seen.set(midText, await readFrames(await post(midText, "many words"), 6));
  await server.kill();
  await startAgain();
}, 120_000);
afterAll(async () => {
  await server.stop();
  await model.stop();
  config.remove();
  rmSync(persistTo, { recursive: true, force: true });
});

describe("after a kill", () => {
  test.each([
    ["in a tool", midTool],
    ["in a stream", midText],
    ["after the end", bigResult],
  ])("[HC1][HC2] %s: all that was shown is there, byte for byte, without a gap", async (_where, conversation) => {
    const log = await readLog(conversation);
    const before = seen.get(conversation) ?? [];
    expect(before.length).toBeGreaterThanOrEqual(4);
    expect(log.slice(0, before.length)).toEqual(before);
    expect(log.map(idOf)).toEqual(log.map((_, at) => String(at + 1)));
    expect(onlyEvent(log.map(eventOf), "turn_finished").seq).toBe(log.length);
  });

  test("[CK14][CK17][DU10] a tool that was running is not run again; its outcome is said to be unknown", async () => {
    const events = (await readLog(midTool)).map(eventOf);
    const { call_id } = onlyEvent(events, "tool_call");
    expect(onlyEvent(events, "tool_result")).toMatchObject({ call_id, disposition: "outcome_unknown", success: false });
    expect(onlyEvent(events, "turn_recovered").calls).toEqual([{ call_id, disposition: "outcome_unknown" }]);
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", receipts: [] });
  });

  test("[DU21] text that was cut is taken back and asked for again; one text is what the turn ends with", async () => {
    const events = (await readLog(midText)).map(eventOf);
    const textOf = (some: typeof events): string =>
      some.map((event) => (event.type === "text_delta" ? event.text : "")).join("");
    const reset = onlyEvent(events, "message_reset").seq;
    expect(textOf(events.slice(0, reset)).length).toBeGreaterThan(0);
    const again = textOf(events.slice(reset));
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", text: again.trim() });
  });

  test.each([
    ["in a tool", midTool, ["system", "user", "assistant", "tool", "assistant", "user"]],
    ["in a stream", midText, ["system", "user", "assistant", "user"]],
  ])("[HI1][HI11] %s: the next turn runs, on a history that is valid", async (_where, conversation, roles) => {
    const { events, turn } = await streamTurn(client, conversation, { input: "and now?" });
    expect([turn, onlyEvent(events, "turn_finished").text]).toEqual(["trn_2", "All is well."]);
    const request = model.requests.at(-1);
    expect(findPayloadFaults(request)).toEqual([]);
    expect(request?.messages.map(({ role }) => role)).toEqual(roles);
  });

  test("[RE7] a receipt from before the kill verifies", async () => {
    const { receipt } = onlyEvent((await readLog(bigResult)).map(eventOf), "tool_result");
    const claim = { receipt, conversation: bigResult, tool: "big_text", arguments: { chars: 5_000_000 } };
    expect(await (await client.post("/v1/receipts/verify", claim)).json()).toMatchObject({ verdict: "valid" });
  });

  // Last in this file: it needs the server to be gone.
  test("[BD8][HC15] no value in any row of any object is over 256 KiB", async () => {
    await server.stop();
    const values = readStoredValues(persistTo);
    expect(values.filter(({ place }) => place === "results.bytes").length).toBeGreaterThan(20);
    expect(values.filter(({ bytes }) => bytes > 262_144)).toEqual([]);
  });
});
