/** The official SDK's server on loopback: stateless for both eras, or with sessions as the older one has them. */
import { randomUUID } from "node:crypto";
import {
  createMcpHandler,
  fromJsonSchema,
  McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { type WebServer, startWebServer } from "./web-server.ts";

export type ToolBody = Parameters<McpServer["registerTool"]>[2];

export interface OfficialTool {
  readonly description?: string;
  readonly inputSchema?: Record<string, unknown>;
  readonly outputSchema?: Record<string, unknown>;
  readonly run: (args: Record<string, unknown>, context: ToolRunContext) => unknown;
}
export type ToolRunContext = Parameters<Extract<ToolBody, (args: never, context: never) => unknown>>[1];

export interface OfficialServer extends WebServer {
  /** Methods of JSON-RPC, and `GET`, `DELETE`, as they came. */
  readonly asked: readonly string[];
  /** Of every request, in the same order. */
  readonly headers: readonly Headers[];
  /** Forgets every session. */
  forget(): void;
}

export async function startOfficialServer(
  tools: Readonly<Record<string, OfficialTool>>,
  { sessions = false }: { readonly sessions?: boolean } = {},
): Promise<OfficialServer> {
  const asked: string[] = [];
  const headers: Headers[] = [];
  const create = () => createServer(tools);
  const modern = createMcpHandler(create);
  const open = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const server = await startWebServer(async (request) => {
    asked.push(await methodOf(request.clone()));
    headers.push(request.headers);
    return sessions ? await serveSession(open, create, request) : await modern.fetch(request);
  });
  return { ...server, asked, headers, forget: () => open.clear() };
}

async function serveSession(
  open: Map<string, WebStandardStreamableHTTPServerTransport>,
  create: () => McpServer,
  request: Request,
): Promise<Response> {
  const id = request.headers.get("mcp-session-id");
  if (id !== null) return (await open.get(id)?.handleRequest(request)) ?? notFound();
  const transport = new WebStandardStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (session) => void open.set(session, transport),
  });
  await create().connect(transport);
  return await transport.handleRequest(request);
}

const notFound = (): Response =>
  Response.json({ jsonrpc: "2.0", id: null, error: { code: -32_001, message: "Session not found" } }, { status: 404 });

async function methodOf(request: Request): Promise<string> {
  if (request.method !== "POST") return request.method;
  const { method }: { method?: string } = await request.json();
  return method ?? "answer";
}

function createServer(tools: Readonly<Record<string, OfficialTool>>): McpServer {
  const server = new McpServer(
    { name: "official", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  for (const [name, { description = `The tool ${name}.`, inputSchema, outputSchema, run }] of Object.entries(tools)) {
    server.registerTool(
      name,
      {
        description,
        inputSchema: fromJsonSchema(inputSchema ?? { type: "object" }),
        ...(outputSchema === undefined ? {} : { outputSchema: fromJsonSchema(outputSchema) }),
      },
      (async (args: Record<string, unknown>, context: ToolRunContext) => run(args, context)) as never,
    );
  }
  return server;
}
