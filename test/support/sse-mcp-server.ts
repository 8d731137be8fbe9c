/** A hand-written MCP server of the oldest transport: answers to posts come by one event stream. Its tool `drop` ends that stream. */
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export interface SseServer {
  readonly port: number;
  readonly url: string;
  /** Streams that are open now. */
  open(): number;
  stop(): Promise<void>;
}

const entry = (name: string) => ({ name, description: `The tool ${name}.`, inputSchema: { type: "object" } });
const answers: Readonly<Record<string, unknown>> = {
  initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "old", version: "1" } },
  "tools/list": { tools: [entry("read"), entry("drop")] },
  "tools/call": { content: [{ type: "text", text: "read over the stream" }] },
};

export async function startSseServer(): Promise<SseServer> {
  const streams = new Set<ServerResponse>();
  const http = createServer((request, response) => {
    if (request.method === "GET") {
      streams.add(response);
      response.on("close", () => streams.delete(response));
      response.writeHead(200, { "content-type": "text/event-stream" });
      return void response.write("event: endpoint\ndata: /messages\n\n");
    }
    void readText(request).then((body) => {
      const { id, method, params } = JSON.parse(body);
      response.writeHead(202).end();
      for (const stream of streams) {
        if (params?.name === "drop") stream.destroy();
        else if (id !== undefined)
          stream.write(`data: ${JSON.stringify({ jsonrpc: "2.0", id, result: answers[method] })}\n\n`);
      }
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/sse`,
    open: () => streams.size,
    stop: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
}
