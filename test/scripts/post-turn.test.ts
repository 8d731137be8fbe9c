/** Following a turn over connections that a real server breaks. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { postTurn, type TurnReport } from "../../scripts/lib/post-turn.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { encodeProblem } from "../../src/wire/problem.ts";
import { createEvent } from "../support/turn-events.ts";

interface Seen {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}
type Answer = (response: ServerResponse) => void;

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

/** Each request gets the next answer; the last one is repeated. */
async function serve(...answers: readonly Answer[]): Promise<{ url: string; seen: Seen[] }> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const answer = answers[Math.min(seen.length, answers.length - 1)];
      seen.push({ headers: request.headers, body });
      answer?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

const frame = (event: WireTurnEvent): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** No waiting between attempts. */
const opening = "retry: 0\n: open\n";

const stream =
  (...parts: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(opening + parts.join(""));
  };

/** Sends, then cuts the connection in the middle of a chunked body. */
const cut =
  (...parts: readonly string[]): Answer =>
  (response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(opening + parts.join(""), () => setImmediate(() => response.destroy()));
  };

const refuse =
  (slug: "overloaded" | "unknown-agent", status: number): Answer =>
  (response) => {
    response.writeHead(status, { "content-type": "application/problem+json" });
    response.end(JSON.stringify(encodeProblem({ slug, detail: "No." }, "r1")));
  };

async function follow(url: string, signal = new AbortController().signal, after?: string): Promise<TurnReport[]> {
  const reports: TurnReport[] = [];
  const post = { url, key: "k", conversation: "conversation-0001", text: "hi", idempotencyKey: "once", signal, after };
  for await (const report of postTurn(post)) reports.push(report);
  return reports;
}

const seqsOf = (reports: readonly TurnReport[]): number[] =>
  reports.flatMap((report) => (report.kind === "event" ? [report.event.seq] : []));

const accepted = createEvent("turn_accepted", {}, 1);
const delta = createEvent("text_delta", {}, 2);
const finished = createEvent("turn_finished", { text: "Hello." }, 3);

describe("posting a turn", () => {
  test("one whole stream is one request, its events word for word", async () => {
    const { url, seen } = await serve(stream(frame(accepted), ": keep-alive\n", frame(delta), frame(finished)));
    const reports = await follow(url);
    expect(reports).toEqual(
      [accepted, delta, finished].map((event) => ({ kind: "event", event, line: JSON.stringify(event) })),
    );
    expect(seen).toHaveLength(1);
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer k", accept: "text/event-stream" });
    expect(seen[0]?.headers).not.toHaveProperty("last-event-id");
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ input: "hi" });
  });

  test.each([
    ["ends", stream],
    ["is cut", cut],
  ])("[SS7] a stream that %s before turn_finished is taken up after the last event read", async (_, broken) => {
    const { url, seen } = await serve(
      broken(frame(accepted), frame(delta), "id: 9\nevent: text"),
      stream(frame(finished)),
    );
    const reports = await follow(url);
    expect(reports.map(({ kind }) => kind)).toEqual(["event", "event", "interrupted", "event"]);
    expect(seqsOf(reports)).toEqual([1, 2, 3]);
    expect(seen[1]?.headers["last-event-id"]).toBe("2");
  });

  test("[SS11] every attempt has the same key and body, so that one turn is run", async () => {
    const { url, seen } = await serve(cut(), cut(frame(accepted)), stream(frame(delta), frame(finished)));
    await follow(url);
    expect(seen).toHaveLength(3);
    expect(new Set(seen.map(({ headers }) => headers["idempotency-key"]))).toEqual(new Set(["once"]));
    expect(new Set(seen.map(({ body }) => body)).size).toBe(1);
    expect(seen.map(({ headers }) => headers["last-event-id"])).toEqual([undefined, undefined, "1"]);
  });

  test("[SS6] nothing is read after turn_finished, whether or not the body ends", async () => {
    const { url, seen } = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening + frame(finished));
    });
    expect(seqsOf(await follow(url))).toEqual([3]);
    expect(seen).toHaveLength(1);
  });

  test("[SS7] a turn that waits for somebody is not followed any further, and taken up behind that when it is asked for", async () => {
    const suspended = createEvent("turn_suspended", {}, 2);
    const { url, seen } = await serve(stream(frame(accepted), frame(suspended)), stream(frame(finished)));
    expect(seqsOf(await follow(url))).toEqual([1, 2]);
    expect(seen).toHaveLength(1);
    expect(seqsOf(await follow(url, undefined, "2"))).toEqual([3]);
    expect(seen[1]?.headers).toMatchObject({ "last-event-id": "2", "idempotency-key": "once" });
  });

  test("events of a type not known here are passed over, and still move the cursor", async () => {
    const { url, seen } = await serve(stream(`id: 7\nevent: novelty\ndata: {}\n\n`), stream(frame(finished)));
    expect(seqsOf(await follow(url))).toEqual([3]);
    expect(seen[1]?.headers["last-event-id"]).toBe("7");
  });

  test("a refusal is the end", async () => {
    const { url, seen } = await serve(refuse("unknown-agent", 422));
    expect(await follow(url)).toEqual([{ kind: "refused", why: "unknown-agent (422): No. [request r1]" }]);
    expect(seen).toHaveLength(1);
  });

  test("an object that is restarting is asked again", async () => {
    const { url } = await serve(cut(frame(accepted)), refuse("overloaded", 503), stream(frame(finished)));
    expect(seqsOf(await follow(url))).toEqual([1, 3]);
  });

  test("fifteen connections in a row without anything new are enough; news starts the count again", async () => {
    const { url, seen } = await serve(stream(), stream(), stream(), stream(frame(accepted)), stream());
    const reports = await follow(url);
    expect(reports.at(-1)).toEqual({ kind: "lost", why: "the stream ended before the turn did" });
    expect(seen).toHaveLength(19);
  });

  test("the signal ends it, in a stream and between two", async () => {
    const leaving = new AbortController();
    const { url } = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(opening + frame(accepted), () => setTimeout(() => leaving.abort(), 20));
    });
    expect(seqsOf(await follow(url, leaving.signal))).toEqual([1]);
    expect(await follow(url, AbortSignal.abort())).toEqual([]);
  });
});
