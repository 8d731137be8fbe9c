/** McpServer: one configured server as its conversation holds it – connected when it is first needed, by one flight, for as long as the turn lasts. Rules: MC2, MC10–MC13, MC16, EX10, EX11. */
import type { CallMcpTool, McpAnswer, McpFault, McpLink } from "../contracts/mcp.ts";
import type { JsonValue } from "../contracts/json.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import { type ToolListing, listTools } from "./list-tools.ts";
import type { LooseResult } from "./loose-results.ts";
import { type ConnectionParts, ServerConnection } from "./server-connection.ts";
import { unpackContent } from "./unpack-content.ts";

export interface McpServerParts extends ConnectionParts {
  /** What the connection before this one left. */
  readonly link?: McpLink;
  /** Called when a connection stands; without a link the one kept before does not hold. */
  readonly keepLink: (link: McpLink | undefined) => void;
}

const SECOND_MS = 1000;

type Connected = Result<ServerConnection, McpFault>;

export class McpServer {
  readonly #parts: McpServerParts;
  #link: McpLink | undefined;
  #current: Promise<Connected> | undefined;
  /** Left for another one; calls may still wait on them. */
  readonly #left: ServerConnection[] = [];

  constructor(parts: McpServerParts) {
    this.#parts = parts;
    this.#link = parts.link;
  }

  /** What the next connection may begin with. */
  get link(): McpLink | undefined {
    return this.#link;
  }

  /** Within the server's time for a listing. */
  async list(): Promise<Result<ToolListing, McpFault>> {
    const listed = await this.#ask((connection) => this.#inTime(connection));
    if (listed.ok || (listed.failure.kind !== "lost" && listed.failure.kind !== "connect")) return listed;
    // Whoever calls it next finds out by a handshake, which can have no effect.
    this.#forget();
    return failWith({ kind: "connect" });
  }

  readonly call: CallMcpTool = async (request, options) => {
    const result = await this.#ask((connection) => connection.call(request, options));
    return result.ok ? succeed(readAnswer(result.value)) : result;
  };

  /** Nothing of it outlives the turn. */
  close(): void {
    const current = this.#current;
    this.#current = undefined;
    void current?.then((connected) => connected.ok && connected.value.close());
    for (const connection of this.#left.splice(0)) connection.close();
  }

  /**
   * A session that the server does not know proves that it did nothing: one new handshake, shared by all who wait for it, and
   * once more. Nothing else is ever sent twice.
   */
  async #ask<Value>(
    act: (connection: ServerConnection) => Promise<Result<Value, McpFault>>,
  ): Promise<Result<Value, McpFault>> {
    const connected = await this.#connected();
    if (!connected.ok) return connected;
    const answered = await act(connected.value);
    this.#leaveIf(connected.value, !connected.value.isSound);
    if (answered.ok || answered.failure.kind !== "session") return answered;
    this.#leaveIf(connected.value, true);
    const again = await this.#connected();
    return again.ok ? await act(again.value) : again;
  }

  #connected(): Promise<Connected> {
    this.#current ??= this.#connect();
    return this.#current;
  }

  async #connect(): Promise<Connected> {
    const connected = await ServerConnection.open(this.#parts, this.#link);
    if (!connected.ok) {
      this.#current = undefined;
      return connected;
    }
    this.#link = connected.value.link();
    this.#parts.keepLink(this.#link);
    return connected;
  }

  #leaveIf(connection: ServerConnection, leave: boolean): void {
    if (!leave || this.#left.includes(connection)) return;
    this.#left.push(connection);
    this.#forget();
  }

  #forget(): void {
    this.#current = undefined;
    this.#link = undefined;
    this.#parts.keepLink(undefined);
  }

  /** When its time is over the connection is closed, and with it what is being asked. */
  async #inTime(connection: ServerConnection): Promise<Result<ToolListing, McpFault>> {
    const { ports, settings } = this.#parts;
    const stop = ports.startTimer(settings.connectTimeoutSecs * SECOND_MS, () => connection.close());
    try {
      return await listTools(connection);
    } finally {
      stop();
    }
  }
}

function readAnswer(result: LooseResult): McpAnswer {
  const { structuredContent, isError } = result;
  return {
    text: unpackContent(result),
    isError: isError === true,
    // It was parsed from JSON.
    ...(structuredContent === undefined ? {} : { structured: structuredContent as JsonValue }),
  };
}
