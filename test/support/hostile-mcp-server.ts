/** A hand-written MCP server of the older era, with sessions, whose every answer a test may spoil. */
import { type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export type ListedEntry = { readonly name: unknown; readonly [member: string]: unknown };

/** One request as it came, and the ways to answer it. */
export interface Exchange {
  readonly id: number;
  readonly params: {
    readonly name: string;
    readonly arguments: Record<string, unknown>;
    readonly [member: string]: unknown;
  };
  readonly response: ServerResponse;
  /** As JSON. */
  readonly result: (result: unknown, id?: number) => void;
  readonly error: (code: number, message: string) => void;
  readonly status: (status: number) => void;
  /** Begins an event stream; then messages, as text or as what they are. */
  readonly stream: () => {
    readonly message: (message: unknown) => void;
    readonly result: (result: unknown) => void;
    readonly end: () => void;
  };
  /** The socket is cut. */
  readonly cut: () => void;
}

export interface HostileServer {
  readonly port: number;
  readonly url: string;
  /** Methods in the order in which they came. */
  readonly asked: readonly string[];
  readonly headers: readonly NodeJS.Dict<string | string[]>[];
  /** What the listing is from now on; pages of it by cursor. */
  tools: readonly ListedEntry[];
  page: ((cursor: string | undefined) => unknown) | undefined;
  /** It takes requests for its listing and never answers them. */
  silent: boolean;
  call: (exchange: Exchange) => void;
  /** No session of before is known any more. */
  expire(): void;
  /** Answers everything with this status. */
  refuseAll: number | undefined;
  stop(): Promise<void>;
}

export const entry = (name: string, more: object = {}): ListedEntry => ({
  name,
  description: `The tool ${name}.`,
  inputSchema: { type: "object" },
  ...more,
});
export const textResult = (text: string) => ({ content: [{ type: "text", text }] });

export async function startHostileServer(tools: readonly ListedEntry[] = [entry("read")]): Promise<HostileServer> {
  const asked: string[] = [];
  const headers: NodeJS.Dict<string | string[]>[] = [];
  let sessions = 0;
  let valid = new Set<string>();
  const http = createServer((request, response) => {
    void readText(request).then((body) => {
      if (request.method !== "POST") return void response.writeHead(405).end();
      const { method, id, params = {} } = JSON.parse(body);
      asked.push(method);
      headers.push(request.headers);
      const exchange = createExchange(response, id, params);
      if (server.refuseAll !== undefined) return exchange.status(server.refuseAll);
      if (method === "server/discover") return exchange.status(400);
      if (method === "initialize") {
        sessions += 1;
        valid.add(`session-${sessions}`);
        response.setHeader("mcp-session-id", `session-${sessions}`);
        const capabilities = { tools: { listChanged: true } };
        return exchange.result({
          protocolVersion: "2025-11-25",
          capabilities,
          serverInfo: { name: "hand", version: "1" },
        });
      }
      if (!valid.has(String(request.headers["mcp-session-id"]))) return exchange.status(404);
      if (id === undefined) return exchange.status(202);
      if (method === "tools/list" && server.silent) return undefined;
      if (method === "tools/list") return exchange.result(server.page?.(params.cursor) ?? { tools: server.tools });
      server.call(exchange);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  const { port } = http.address() as AddressInfo;
  const server: HostileServer = {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    asked,
    headers,
    tools,
    page: undefined,
    silent: false,
    call: ({ result, params }) => result(textResult(`ran ${params.name}`)),
    expire: () => (valid = new Set()),
    refuseAll: undefined,
    stop: () =>
      new Promise((resolve) => {
        http.closeAllConnections();
        http.close(() => resolve());
      }),
  };
  return server;
}

function createExchange(response: ServerResponse, id: number, params: Exchange["params"]): Exchange {
  const json = (body: unknown): void => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
  };
  return {
    id,
    params,
    response,
    result: (result, answered = id) => json({ jsonrpc: "2.0", id: answered, result }),
    error: (code, message) => json({ jsonrpc: "2.0", id, error: { code, message } }),
    status: (status) => void response.writeHead(status).end(),
    stream: () => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      const message = (body: unknown): void =>
        void response.write(`data: ${typeof body === "string" ? body : JSON.stringify(body)}\n\n`);
      return { message, result: (result) => message({ jsonrpc: "2.0", id, result }), end: () => void response.end() };
    },
    cut: () => response.destroy(),
  };
}
