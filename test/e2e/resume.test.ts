/** Clients that are cut anywhere and come back by cursor, on a finished turn and on one that is still being written. */
import { EventSource } from "eventsource";
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
  typesOf,
} from "../support/api-client.ts";
import { refusalOf } from "../http/edge.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { type ModelConfig, writeModelConfig } from "../support/model-config.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";

const tokens = Array.from({ length: 60 }, (_, at) => `word${at} `);
let model: ModelServer;
let config: ModelConfig;
let server: RunningServer;
let client: ApiClient;
beforeAll(async () => {
  model = await startModelServer(({ messages }) => {
    const last = messages.at(-1);
    if (last?.role === "tool") return { kind: "text", tokens, tokenMs: 20 };
    const asked = JSON.stringify(last?.content);
    if (asked.includes("silence")) return { kind: "call", id: "call_s", name: "slow", args: { ms: 11_500 } };
    if (asked.includes("a tool first")) return { kind: "call", id: "call_t", name: "slow", args: { ms: 200 } };
    return { kind: "text", tokens, tokenMs: 20 };
  });
  config = writeModelConfig({ model: model.port });
  server = await startServer({ configFile: config.file });
  client = createApiClient(server);
});
afterAll(async () => {
  await server.stop();
  await model.stop();
  config.remove();
});

const eventsPath = (conversation: string): string => `/v1/conversations/${conversation}/events?turn=trn_1`;

async function startTurn(conversation: string, input = "a tool first, then words"): Promise<void> {
  const response = await client.post(`/v1/conversations/${conversation}/turns`, { input }, { prefer: "respond-async" });
  expect(response.status).toBe(202);
}

const follow = (conversation: string, after?: string): Promise<Response> =>
  client.get(eventsPath(conversation), {
    ...acceptStream,
    ...(after === undefined ? {} : { "last-event-id": after }),
  });

/** Reads `size` frames a connection, then comes back with the id of the last one, until the turn has ended. */
async function readInPieces(conversation: string, size: number): Promise<readonly string[]> {
  const frames: string[] = [];
  for (;;) {
    const last = frames.at(-1);
    const response = await follow(conversation, last === undefined ? undefined : idOf(last));
    if (response.status === 204) return frames;
    frames.push(...(await readFrames(response, size)));
  }
}

/** The same with a browser's own reader: a new one for each piece would start over, so its connection is cut under it. */
function readWithEventSource(conversation: string, size: number): Promise<{ frames: string[]; connections: number }> {
  const frames: string[] = [];
  let connections = 0;
  return new Promise((resolve) => {
    const source = new EventSource(`${client.url}${eventsPath(conversation)}`, {
      fetch: async (url, init) => {
        connections += 1;
        const headers = { ...init.headers, authorization: client.authorization };
        const response = await fetch(url, { ...init, headers });
        return response.body === null ? response : new Response(await firstFrames(response.body, size), response);
      },
    });
    const take = ({ type, data, lastEventId }: { type: string; data: string; lastEventId: string }): void => {
      frames.push(`id: ${lastEventId}\nevent: ${type}\ndata: ${data}`);
    };
    for (const type of eventTypes) source.addEventListener(type, take);
    source.addEventListener("error", () => {
      if (source.readyState === source.CLOSED) resolve({ frames, connections });
    });
  });
}

const eventTypes = [
  "turn_accepted",
  "turn_started",
  "text_delta",
  "tool_call",
  "tool_result",
  "usage",
  "turn_finished",
];

/** A body that ends after so many frames, with a `retry:` that keeps the test short. */
async function firstFrames(body: ReadableStream<Uint8Array>, size: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true });
    if (framesOf(text).length >= size) break;
  }
  const frames = framesOf(text).slice(0, size);
  return `retry: 1\n${frames.map((frame) => `${frame}\n\n`).join("")}`;
}

describe("cut after every k-th event", () => {
  const conversation = freshConversation("resumed-later");
  let whole: readonly string[];
  beforeAll(async () => {
    await startTurn(conversation);
    whole = await readFrames(await follow(conversation));
  });

  test("[SS5][HC2] a finished turn, by fetch, for every k", async () => {
    expect(typesOf(whole.map(eventOf)).slice(0, 5)).toEqual([
      "turn_accepted",
      "turn_started",
      "usage",
      "tool_call",
      "tool_result",
    ]);
    expect(onlyEvent(whole.map(eventOf), "turn_finished").text).toBe(tokens.join("").trim());
    expect(whole.length).toBeGreaterThan(10);
    const sizes = whole.map((_, at) => at + 1);
    const pieced = await Promise.all(sizes.map((size) => readInPieces(conversation, size)));
    for (const frames of pieced) expect(frames).toEqual(whole);
  });

  test("[SS5][SS8] a finished turn, by EventSource, which then stops by itself", async () => {
    for (const size of [1, 4, whole.length]) {
      const { frames, connections } = await readWithEventSource(conversation, size);
      expect(frames).toEqual(whole);
      expect(connections).toBe(Math.ceil(whole.length / size) + 1);
    }
  });

  test("[SS5][HC2] a turn under way, by readers of every pace at once", async () => {
    const live = freshConversation("resumed-live");
    await startTurn(live);
    const [undisturbed, sourced, ...pieced] = await Promise.all([
      follow(live).then((response) => readFrames(response)),
      readWithEventSource(live, 3),
      ...[1, 2, 3, 5, 8, 13, 21].map((size) => readInPieces(live, size)),
    ]);
    expect(undisturbed.map(idOf)).toEqual(undisturbed.map((_, at) => String(at + 1)));
    expect(onlyEvent(undisturbed.map(eventOf), "turn_finished").outcome).toBe("completed");
    expect(sourced.frames).toEqual(undisturbed);
    for (const frames of pieced) expect(frames).toEqual(undisturbed);
  });
});

describe("readers come and go", () => {
  test("[DU31] the one who posted hangs up, and the turn runs on to its end", async () => {
    const conversation = freshConversation("hung-up");
    const path = `/v1/conversations/${conversation}/turns`;
    const first = await readFrames(await client.post(path, { input: "words only" }, acceptStream), 3);
    const rest = await readFrames(await follow(conversation, "3"));
    expect([...first, ...rest].map(idOf)).toEqual([...first, ...rest].map((_, at) => String(at + 1)));
    expect(onlyEvent(rest.map(eventOf), "turn_finished")).toMatchObject({ outcome: "completed" });
  });

  test("[LC28] a second turn waits, or is refused when it would not", async () => {
    const conversation = freshConversation("two-turns");
    const path = `/v1/conversations/${conversation}/turns`;
    await startTurn(conversation, "words only");
    const refused = await client.post(path, { input: "me too", on_busy: "reject" });
    expect(await refusalOf(refused)).toBe("409 /problems/turn-busy");
    const waited = await client.post(path, { input: "words only" }, acceptStream);
    expect(waited.headers.get("x-countersign-turn")).toBe("trn_2");
    await waited.text();
    const log = await (await client.get(`/v1/conversations/${conversation}/events?limit=1000`)).json();
    const { events } = log as { events: readonly WireTurnEvent[] };
    const running = events.filter(({ type }) => type !== "turn_accepted").map(({ turn }) => turn);
    expect(running.lastIndexOf("trn_1")).toBeLessThan(running.indexOf("trn_2"));
  });

  test("[SS3] a silent stream has a comment line every five seconds, and no blank line for it", async () => {
    const conversation = freshConversation("keep-alive");
    await startTurn(conversation, "silence, please");
    const body = await (await follow(conversation)).text();
    const comments = body.split("\n").filter((line) => line === ": keep-alive");
    expect(comments.length).toBeGreaterThanOrEqual(2);
    expect(body).not.toMatch(/: keep-alive\n\n/);
    expect(onlyEvent(framesOf(body).map(eventOf), "turn_finished").outcome).toBe("completed");
  });

  test("[EV12] a reader that does not read holds nobody up and misses nothing", async () => {
    const conversation = freshConversation("slow-reader");
    await startTurn(conversation);
    const slow = await follow(conversation);
    const fast = await readFrames(await follow(conversation));
    expect(await readFrames(slow)).toEqual(fast);
  });
});
