/** The load generator's client: what it takes for a turn, and what it refuses to count. */
import { createServer, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { TurnClient } from "../../bench/lib/turn-client.ts";

const post = { conversation: "conv_0123456789abcdef", agent: "instant", key: "ck_dev_x" };
const head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
const frame = 'event: turn_finished\ndata: {"outcome":"completed"}\n\n';
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;

let server: Server | undefined;
afterEach(() => server?.close());

/** Answers each request with these pieces, each in a packet of its own. */
async function connectTo(pieces: readonly string[]): Promise<{ client: TurnClient; requests: string[] }> {
  const requests: string[] = [];
  server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on("data", (data) => {
      requests.push(data.toString());
      void (async () => {
        for (const piece of pieces) {
          socket.write(piece);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      })();
    });
  });
  const listening = server;
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const address = listening.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { client: await TurnClient.connect(address.port), requests };
}

test("a turn ends with its whole response, however the packets cut it, and the connection serves the next", async () => {
  const { client, requests } = await connectTo([
    head,
    chunk("retry: 2000\n"),
    ...chunk(frame).split(/(?<=turn_fin)/),
    "0\r\n",
    "\r\n",
  ]);
  expect(await client.postTurn(post)).toBeGreaterThan(0);
  expect(await client.postTurn(post)).toBeGreaterThan(0);
  expect(requests).toHaveLength(2);
  expect(requests[1]).toContain("POST /v1/conversations/conv_0123456789abcdef/turns HTTP/1.1");
  client.close();
});

test.each([
  ["another status", ["HTTP/1.1 429 Too Many Requests\r\nContent-Length: 0\r\n\r\n"]],
  ["a turn that failed", [head, chunk(frame.replace("completed", "failed")), "0\r\n\r\n"]],
  ["a stream without its last frame", [head, chunk(": open\n"), "0\r\n\r\n"]],
])("%s is an error and no turn", async (_what, pieces) => {
  const { client } = await connectTo(pieces);
  await expect(client.postTurn(post)).rejects.toThrow("a turn did not complete");
  client.close();
});
