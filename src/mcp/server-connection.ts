/** ServerConnection: one open connection to one MCP server – handshake, pages of the listing, calls; on either transport, in either era. Rules: MC1, MC8–MC10, MC12, MW2, MW3, SE32. */
import { Client, SSEClientTransport, type Transport } from "@modelcontextprotocol/client";
import type { JsonObject } from "../contracts/json.ts";
import type { McpCallOptions, McpCallRequest, McpFault, McpLink } from "../contracts/mcp.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import { fillHeaders } from "../policy/secret-headers.ts";
import { AnsweringTransport } from "./answering-transport.ts";
import { createMcpFetch } from "./guarded-fetch.ts";
import { type LoosePage, type LooseResult, loosePage, looseResult } from "./loose-results.ts";
import { readFault } from "./mcp-faults.ts";
import type { McpPorts, McpServerSettings } from "./mcp-ports.ts";
import { linkSignal } from "./link-signal.ts";

/** Beyond any time limit of a call: the call's own signal is what ends it. */
const NEVER_MS = 2_000_000;
const MOST_NOTIFICATIONS = 1000;
const SECOND_MS = 1000;
const TELL_MS = 1000;
const reconnection = {
  maxRetries: 5,
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
};

export interface ConnectionParts {
  readonly settings: McpServerSettings;
  readonly ports: McpPorts;
  readonly version: string;
  /** What a server is answered that asks the user something: no, or yes with the defaults of what it asks for (MW4). */
  readonly elicitation: "decline" | "defaults";
  /** The server says that its listing changed. */
  readonly onListChanged: () => void;
}

export class ServerConnection {
  readonly #client: Client;
  readonly #transport: AnsweringTransport | SSEClientTransport;
  readonly #parts: ConnectionParts;
  #refused: McpFault | undefined;
  #notifications = 0;

  private constructor(parts: ConnectionParts, headers: Readonly<Record<string, string>>, link: McpLink | undefined) {
    this.#parts = parts;
    const { settings, ports, version, elicitation } = parts;
    const fetch = createMcpFetch({ ports, transport: settings.transport, refuse: (fault) => this.#refuse(fault) });
    const options = { fetch, requestInit: { headers } };
    const url = new URL(settings.url);
    const session = link?.era === "legacy" ? link.session : undefined;
    this.#transport =
      settings.transport === "sse"
        ? new SSEClientTransport(url, options)
        : new AnsweringTransport(url, {
            ...options,
            reconnectionOptions: reconnection,
            ...(session === undefined ? {} : { sessionId: session.id, protocolVersion: session.protocolVersion }),
          });
    this.#client = new Client(
      { name: "countersign", version },
      {
        capabilities: elicitation === "defaults" ? { elicitation: { form: { applyDefaults: true } } } : {},
        versionNegotiation: { mode: settings.transport === "sse" ? "legacy" : "auto" },
        // Schemas are judged with ours, under our guards; the library's own check would come before them.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
      },
    );
    if (elicitation === "defaults") {
      this.#client.setRequestHandler("elicitation/create", () => ({ action: "accept", content: {} }));
    }
    this.#client.setNotificationHandler("notifications/tools/list_changed", () => parts.onListChanged());
  }

  /** Within the server's time for it. A link spares the handshake; whether it still holds shows at the first request. */
  static async open(parts: ConnectionParts, link?: McpLink): Promise<Result<ServerConnection, McpFault>> {
    const { settings, ports } = parts;
    const headers = fillHeaders(settings.headers, ports.secrets);
    if (!headers.ok) return failWith({ kind: "secret", name: headers.failure });
    const connection = new ServerConnection(parts, headers.value, link);
    let overdue = false;
    const stop = ports.startTimer(settings.connectTimeoutSecs * SECOND_MS, () => {
      overdue = true;
      connection.close();
    });
    try {
      await connection.#connect(link);
      return succeed(connection);
    } catch (error) {
      connection.close();
      const fault = readFault(error);
      // Nothing of a handshake can have had an effect.
      return failWith(overdue || fault.kind === "lost" ? { kind: "connect" } : fault);
    } finally {
      stop();
    }
  }

  async #connect(link: McpLink | undefined): Promise<void> {
    this.#watch(this.#transport);
    const prior =
      link?.era === "modern"
        ? { prior: { kind: "modern" as const, discover: link.discover as never } }
        : link?.era === "legacy" && link.session === undefined
          ? { prior: { kind: "legacy" as const } }
          : {};
    await this.#client.connect(this.#transport, { timeout: NEVER_MS, ...prior });
    if (this.#client.getProtocolEra() === "modern" && this.#client.getServerCapabilities()?.tools?.listChanged) {
      // Only for as long as the connection is open; a server that does not take it is read again by age.
      void this.#client.listen({ toolsListChanged: true }).catch(() => undefined);
    }
  }

  /** The library chains on what is set before it connects. */
  #watch(transport: Transport): void {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- no event target
    transport.onmessage = (message) => {
      if (!("method" in message) || "id" in message) this.#notifications = 0;
      else if ((this.#notifications += 1) > MOST_NOTIFICATIONS) this.#refuse({ kind: "size" });
    };
    // On the older transport answers come by one stream: when it breaks, those that are awaited are lost.
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- no event target
    if (transport instanceof SSEClientTransport) transport.onerror = () => this.close();
  }

  /** What the next connection may begin with. */
  link(): McpLink {
    const discover = this.#client.getDiscoverResult();
    if (this.#client.getProtocolEra() === "modern" && discover !== undefined) {
      return { era: "modern", discover: JSON.parse(JSON.stringify(discover)) as JsonObject };
    }
    const transport = this.#transport;
    const { sessionId: id, protocolVersion } = transport instanceof AnsweringTransport ? transport : {};
    return id === undefined || protocolVersion === undefined
      ? { era: "legacy" }
      : { era: "legacy", session: { id, protocolVersion } };
  }

  /** False once an answer broke what the protocol allows: the next call connects anew. */
  get isSound(): boolean {
    return this.#refused === undefined && this.#client.transport !== undefined;
  }

  listPage(cursor: string | undefined): Promise<Result<LoosePage, McpFault>> {
    const params = cursor === undefined ? {} : { params: { cursor } };
    return this.#answered(() =>
      this.#client.request({ method: "tools/list", ...params }, loosePage, { timeout: NEVER_MS }),
    );
  }

  async call(request: McpCallRequest, options: McpCallOptions): Promise<Result<LooseResult, McpFault>> {
    const linked = linkSignal(options.signal);
    try {
      return await this.#answered(() => this.#send(request, { ...options, signal: linked.signal }));
    } finally {
      linked.unlink();
    }
  }

  /** In the newer era arguments may have to be repeated in headers, which the library's own `callTool` does. */
  #send(
    { tool, inputSchema, args }: McpCallRequest,
    { signal, onProgress }: Pick<McpCallOptions, "onProgress"> & { readonly signal: AbortSignal },
  ): Promise<LooseResult> {
    const params = { name: tool, arguments: { ...args } };
    const options = {
      signal,
      timeout: NEVER_MS,
      onprogress: (progress: object) => onProgress({ ...progress }),
    };
    return this.#client.getProtocolEra() === "modern"
      ? this.#client.callTool(params, { ...options, toolDefinition: { name: tool, inputSchema: inputSchema as never } })
      : this.#client.request({ method: "tools/call", params }, looseResult, options);
  }

  async #answered<Value>(act: () => Promise<Value>): Promise<Result<Value, McpFault>> {
    try {
      return succeed(await act());
    } catch (error) {
      const fault = readFault(error);
      const { sessionId } = this.#transport instanceof AnsweringTransport ? this.#transport : {};
      if (fault.kind === "http" && fault.status === 404 && sessionId !== undefined)
        return failWith({ kind: "session" });
      if (fault.kind === "protocol") {
        return failWith({ ...fault, message: this.#parts.ports.clean(fault.message) });
      }
      return failWith(fault.kind === "lost" ? (this.#refused ?? fault) : fault);
    }
  }

  /** Once the server has been told what was cancelled, or after a moment. Its session stays, for the next turn. */
  close(): void {
    const end = (): void => {
      stop();
      void this.#client.close().catch(() => undefined);
      void this.#transport.close().catch(() => undefined);
    };
    const stop = this.#parts.ports.startTimer(TELL_MS, end);
    const told = this.#transport instanceof AnsweringTransport ? this.#transport.told() : Promise.resolve();
    void told.then(end);
  }

  #refuse(fault: McpFault): void {
    this.#parts.ports.log("warn", "mcp_answer_refused", { server: this.#parts.settings.name, reason: fault.kind });
    this.#refused ??= fault;
    if (fault.kind === "size") this.close();
  }
}
