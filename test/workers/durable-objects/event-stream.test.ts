/** Event streams in workerd: how many there may be, and how one ends whose reader does nothing. */
import { createBoard } from "../../support/progress-board.ts";
import { exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { EventFanout } from "../../../durable-objects/event-fanout.ts";
import { type EventStreamSettings, openEventStream } from "../../../durable-objects/event-stream.ts";

const path = "http://localhost/v1/conversations/conv_streams_in_workerd";
const key = { authorization: "Bearer ck_dev_test" };
const sse = { ...key, accept: "text/event-stream" };
/** The default of `limits.max_streams_per_conversation`. */
const mostStreams = 50;

const follow = (headers: Record<string, string> = {}): Promise<Response> =>
  exports.default.fetch(`${path}/events`, { headers: { ...sse, ...headers } });

test("[DU32] one stream too many is 429, to a reader that resumes the empty answer; a place that is left is free again", async () => {
  const turn = await exports.default.fetch(`${path}/turns`, {
    method: "POST",
    headers: { ...key, "content-type": "application/json" },
    body: JSON.stringify({ input: "hello" }),
  });
  expect(turn.status).toBe(200);
  const open = await Promise.all(Array.from({ length: mostStreams }, () => follow()));
  expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));

  const refused = await follow();
  expect(refused.status).toBe(429);
  expect(refused.headers.get("retry-after")).toBe("30");
  expect(await refused.json()).toMatchObject({ type: "/problems/quota-exceeded", "violated-policies": ["streams"] });
  const resumed = await follow({ "last-event-id": "1" });
  expect([resumed.status, await resumed.text()]).toEqual([200, "retry: 5000\n"]);

  await open.pop()?.body?.cancel();
  await expect.poll(async () => (await follow()).status, { timeout: 10_000 }).toBe(200);
  await Promise.all(open.map(async ({ body }) => await body?.cancel()));
});

/** A turn that runs and says nothing beside its events. */
const unremarkable = {
  state: () => "live" as const,
  durable: () => Promise.resolve(),
  progress: () => ({ frames: [], upTo: 0 }),
};

describe("a stream at the end of its time", () => {
  const open = (change: Partial<EventStreamSettings>): ReadableStream<Uint8Array> =>
    openEventStream({
      source: { ...unremarkable, read: () => [], isBehind: () => false },
      fanout: new EventFanout(),
      after: 0,
      signal: new AbortController().signal,
      onEnd: () => undefined,
      lingerMs: 60_000,
      longestMs: 20,
      ...change,
    });

  test("[SS7] ends cleanly while nothing happens: what was sent is whole, and the reader comes back", async () => {
    expect(await new Response(open({})).text()).toBe("retry: 2000\n: open\n");
  });

  test("[SS7] ends cleanly behind the last whole event when the reader was slow", async () => {
    let seq = 0;
    const body = open({
      source: {
        read: () => [{ seq: (seq += 1), type: "text_delta", body: "{}" }],
        isBehind: () => true,
        ...unremarkable,
      },
    });
    await new Promise((resolve) => setTimeout(resolve, 60));
    expect(await new Response(body).text()).toMatch(
      /^retry: 2000\n: open\n(id: \d+\nevent: text_delta\ndata: \{\}\n\n)+$/,
    );
  });
});

describe("a reader that never reads", () => {
  /** A log that always has one more event. */
  const endless: EventStreamSettings["source"] = {
    read: (after) => [{ seq: after + 1, type: "text_delta", body: "{}" }],
    isBehind: () => true,
    ...unremarkable,
  };

  /** Resolves when the stream has ended by itself. */
  function leaveUnread(change: Partial<EventStreamSettings>): Promise<string> {
    return new Promise((resolve) => {
      openEventStream({
        source: endless,
        fanout: new EventFanout(),
        after: 0,
        signal: new AbortController().signal,
        onEnd: () => resolve("ended"),
        lingerMs: 60_000,
        longestMs: 60_000,
        ...change,
      });
    });
  }

  test("[DU31] is let go when its time is over, although a write is pending", async () => {
    expect(await leaveUnread({ longestMs: 20 })).toBe("ended");
  });

  test("[DU31] is let go when its connection ends, although a write is pending", async () => {
    const connection = new AbortController();
    const ended = leaveUnread({ signal: connection.signal });
    connection.abort();
    expect(await ended).toBe("ended");
  });

  test("[DU31] one that reads is served until then, and its stream ends cleanly", async () => {
    const quiet: typeof endless = { ...endless, read: () => [], isBehind: () => false, state: () => "ended" };
    let ends = 0;
    const body = openEventStream({
      source: quiet,
      fanout: new EventFanout(),
      after: 0,
      signal: new AbortController().signal,
      onEnd: () => {
        ends += 1;
      },
      lingerMs: 60_000,
      longestMs: 60_000,
    });
    expect(await new Response(body).text()).toBe("retry: 2000\n: open\n");
    expect(ends).toBe(1);
  });
});

describe("what running calls tell", () => {
  test("[TC12][G3] comes behind the log that is there, without an id, and each piece once", async () => {
    const fanout = new EventFanout();
    const board = createBoard(fanout);
    const progress = (data: number) => ({ ...told, data });
    let log = [1, 2];
    let ended = false;
    const body = openEventStream({
      source: {
        read: (after) =>
          log.filter((seq) => seq > after).map((seq) => ({ seq, type: "text_delta" as const, body: `{"n":${seq}}` })),
        isBehind: (cursor) => (log.at(-1) ?? 0) > cursor,
        state: () => (ended ? "ended" : "live"),
        durable: () => Promise.resolve(),
        progress: (place) => board.since(place, "trn_1"),
      },
      fanout,
      after: 0,
      signal: new AbortController().signal,
      onEnd: () => undefined,
      lingerMs: 60_000,
      longestMs: 60_000,
    });
    board.show(progress(1));
    const text = new Response(body).text();
    const turn = () => new Promise((resolve) => setTimeout(resolve, 30));
    await turn();
    board.show(progress(2));
    await turn();
    log = [...log, 3];
    ended = true;
    fanout.wake();
    const frames = (await text).split("\n\n").filter((frame) => frame.includes("data: "));
    expect(frames.map((frame) => /"n":\d|"data":\d/.exec(frame)?.[0])).toEqual([
      '"n":1',
      '"n":2',
      '"data":1',
      '"data":2',
      '"n":3',
    ]);
    expect(frames.map((frame) => frame.includes("id: "))).toEqual([true, true, false, false, true]);
  });
});

const told = { type: "tool_progress", turn: "trn_1", agent: "ada", channel: "http", callId: "call_1" } as const;
