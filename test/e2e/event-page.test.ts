/** The reader that docs/events.md gives away, as it stands there, against a real server. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { once } from "node:events";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { freshConversation } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";

interface ReadTurn {
  readonly url: string;
  readonly key: string;
  readonly conversation: string;
  readonly input: string;
  readonly idempotencyKey: string;
}

// Inside the repository, so that what it imports is found.
const folder = join(projectRoot, `.wrangler/event-page-${process.pid}`);
let server: RunningServer;
let readTurn: (turn: ReadTurn) => AsyncGenerator<WireTurnEvent>;
beforeAll(async () => {
  const page = readFileSync(join(projectRoot, "docs/events.md"), "utf8");
  const file = join(folder, "read-turn.mjs");
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, /```js\n([\s\S]*?)```/.exec(page)?.[1] ?? "");
  ({ readTurn } = (await import(pathToFileURL(file).href)) as { readTurn: typeof readTurn });
  server = await startServer();
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

/** Stands in front of the server; of each answer it lets through so many bytes, the next one more, then it hangs up. */
async function startCutter(most: readonly number[]): Promise<{ url: string; cuts: () => number; stop: () => void }> {
  let answered = 0;
  const cutter = createServer((incoming, outgoing) => {
    const { method, headers, url } = incoming;
    const onward = request(`${server.url}${url}`, { method, headers }, (answer) => {
      let left = most[answered] ?? Number.POSITIVE_INFINITY;
      answered += 1;
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.on("data", (chunk: Buffer) => {
        outgoing.write(chunk.subarray(0, left));
        left -= chunk.length;
        if (left <= 0) setTimeout(() => outgoing.destroy(), 20);
      });
      answer.on("end", () => outgoing.end());
    });
    incoming.pipe(onward);
  }).listen(0, "127.0.0.1");
  await once(cutter, "listening");
  const { port } = cutter.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, cuts: () => answered - 1, stop: () => cutter.close() };
}

test("[SS5][SS7][SS11] it reads a turn to its end over cuts, each event once", async () => {
  const cutter = await startCutter([600, 900]);
  const conversation = freshConversation("the-page");
  const events: WireTurnEvent[] = [];
  const turn = { url: cutter.url, key: server.key, conversation, input: "what is 12*(3+4)?", idempotencyKey: "page-1" };
  for await (const event of readTurn(turn)) events.push(event);
  cutter.stop();
  expect(cutter.cuts()).toBe(2);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, at) => at + 1));
  expect(events.at(-1)).toMatchObject({ type: "turn_finished", outcome: "completed", turn: "trn_1" });
});

test("[HP1] a refusal is thrown in words, not tried again", async () => {
  const turn = { url: server.url, key: "ck_dev_wrong", conversation: freshConversation("the-page"), input: "hi" };
  await expect(readTurn({ ...turn, idempotencyKey: "page-2" }).next()).rejects.toThrow("bearer credential");
});
