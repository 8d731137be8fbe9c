/** A server on the loopback that sends exactly the bytes it is told to, and keeps what it was asked. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  /** Resolves when the client has closed the connection before the answer was whole. */
  readonly closedEarly: Promise<void>;
}

export interface RawServer {
  readonly url: string;
  readonly asked: readonly Asked[];
}

/** `respond` gets the number of the request, from 0. The server closes with the test. */
export async function startRawServer(
  respond: (response: ServerResponse, place: number) => void | Promise<void>,
): Promise<RawServer> {
  const asked: Asked[] = [];
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = "";
    for await (const chunkOfBody of request) body += String(chunkOfBody);
    const closedEarly = new Promise<void>((resolve) => {
      response.on("close", () => {
        if (!response.writableFinished) resolve();
      });
    });
    const { method = "", url = "", headers } = request;
    asked.push({ method, url, headers, body, closedEarly });
    await respond(response, asked.length - 1);
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.flushHeaders();
}

/** Each of the parts goes out as a chunk of its own. */
export async function sendChunks(response: ServerResponse, parts: readonly Uint8Array[]): Promise<void> {
  openStream(response);
  for (const part of parts) {
    if (part.byteLength > 0) response.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }
  response.end();
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export const sse = (...frames: readonly unknown[]): string =>
  frames.map((frame) => `data: ${typeof frame === "string" ? frame : JSON.stringify(frame)}\n\n`).join("");

/** A chunk of an OpenAI Chat stream. */
export const chunk = (delta: unknown, finish: string | null = null) => ({
  choices: [{ delta, finish_reason: finish }],
});

export const toolDelta = (index: number | undefined, id: string | undefined, called: object) =>
  chunk({
    tool_calls: [
      {
        ...(index === undefined ? {} : { index }),
        ...(id === undefined ? {} : { id }),
        type: "function",
        function: called,
      },
    ],
  });

export const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };
