/** A server on loopback that answers as a function over web requests says; what it was asked is kept. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export interface WebServer {
  readonly port: number;
  readonly url: string;
  stop(): Promise<void>;
}

export type AnswerWeb = (request: Request) => Response | Promise<Response>;

export async function startWebServer(answer: AnswerWeb): Promise<WebServer> {
  const server = createServer((incoming, outgoing) => {
    void serve(answer, incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function serve(answer: AnswerWeb, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => gone.abort());
  const body = incoming.method === "POST" ? { body: await readText(incoming) } : {};
  const headers = new Headers();
  for (const [name, value] of Object.entries(incoming.headers)) headers.set(name, String(value));
  const { method = "GET", url = "/" } = incoming;
  const request = new Request(`http://127.0.0.1${url}`, { method, headers, signal: gone.signal, ...body });
  const response = await answer(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  outgoing.flushHeaders();
  for await (const chunk of response.body ?? []) outgoing.write(chunk);
  outgoing.end();
}
