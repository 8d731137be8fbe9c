/** createMcpFetch: the only network of the MCP client – judged, never redirected, its answers bounded. Rules: MC13, SE31, SE33, SE41, SE44. */
import type { McpFault } from "../contracts/mcp.ts";
import { guardAnswer } from "./guard-answer.ts";
import { McpFaultError, httpFault } from "./mcp-faults.ts";
import type { McpPorts } from "./mcp-ports.ts";

export type McpFetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

export interface McpFetchParts {
  readonly ports: McpPorts;
  readonly transport: "http" | "sse";
  /** Told of an answer that is dropped for what it is. */
  readonly refuse: (fault: McpFault) => void;
}

/** Rejects with an McpFaultError, which names no address. */
export function createMcpFetch({ ports, transport, refuse }: McpFetchParts): McpFetch {
  const { fetch } = ports;
  return async (url, init = {}) => {
    const judged = ports.judge(String(url));
    if (!judged.ok) throw new McpFaultError({ kind: "egress", class: judged.failure.class });
    const response = await send(() => fetch(judged.value.href, { ...init, redirect: "manual" }));
    const { status } = response;
    const isRedirect = status >= 300 && status < 400;
    // The library tells a refused post of the older transport by words alone.
    const isRefusal = transport === "sse" && init.method === "POST" && !response.ok;
    if (!isRedirect && !isRefusal) return guardAnswer(response, refuse);
    await response.body?.cancel().catch(() => undefined);
    // Configured headers go to the configured address and nowhere else.
    throw new McpFaultError(isRedirect ? { kind: "egress", class: "redirect" } : httpFault(status));
  };
}

/** The platform's own words may hold addresses; and what was sent when it failed is not known. */
async function send(act: () => Promise<Response>): Promise<Response> {
  try {
    return await act();
  } catch {
    throw new McpFaultError({ kind: "lost" });
  }
}
