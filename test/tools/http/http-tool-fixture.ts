/** HTTP tools as a config file declares them, run against a real server through the guarded fetch. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createOwnSecrets } from "../../../src/observe/own-secrets.ts";
import type { Fault, JsonObject } from "../../../src/contracts/json.ts";
import type { Tool, ToolContext } from "../../../src/contracts/tool.ts";
import { readConfiguredTools } from "../../../src/tools/configured-tools.ts";
import { createToolFetch } from "../../../src/tools/guarded-fetch.ts";
import { configOf, readWith } from "../../config/support.ts";
import { rulesFor } from "../local-server.ts";
import { runTool } from "../run-tool.ts";

export const SECRET = "s3cret-token-of-the-shop";

const words = { type: "string" };
export const inputSchema = {
  type: "object",
  properties: {
    id: { type: ["string", "number", "boolean", "object"] },
    q: {},
    n: { type: "integer" },
    lang: words,
    address: { type: "object", properties: { city: words } },
    open: { type: "object" },
  },
};

/** What an entry of the file becomes, or what is wrong with it. */
export function readHttpTool(entry: object): { readonly tool?: Tool; readonly faults: readonly Fault[] } {
  const tools = [{ kind: "http", name: "look_up", description: "Looks it up", input_schema: inputSchema, ...entry }];
  const own = createOwnSecrets([SECRET]);
  const read = readConfiguredTools(configOf(readWith({ tools })).tools, {
    clean: (text) => own.remove(text),
    findService: () => undefined,
  });
  if (!read.ok) return { faults: read.failure };
  const [tool] = read.value;
  return tool === undefined ? { faults: [] } : { tool, faults: [] };
}

export function httpTool(entry: object): Tool {
  const { tool, faults } = readHttpTool(entry);
  if (tool === undefined) throw new Error(JSON.stringify(faults));
  return tool;
}

/** `hosts`: what the guard lets through. */
export function runHttpTool(
  entry: object,
  args: JsonObject,
  { hosts, ...context }: Partial<ToolContext> & { readonly hosts: readonly string[] },
): Promise<unknown> {
  const fetchTool = createToolFetch({
    fetch: (url, init) => fetch(url, init),
    rules: rulesFor(...hosts),
    signal: new AbortController().signal,
    maxBytes: 5_242_880,
    log: () => {},
  });
  return runTool(httpTool(entry), args, { fetch: fetchTool, secret: () => SECRET, ...context });
}

/** Answers with what it was sent, as JSON. */
export function echo(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    const { method, url, headers } = request;
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ method, url, headers, body: Buffer.concat(chunks).toString() }));
  });
}
