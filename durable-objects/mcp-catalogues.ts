/** McpCatalogues: what this conversation knows of its MCP servers, in memory as in the rows – listings, their age, the definitions first seen. Rules: MC3, MC5, MC7, MC19, SE28. */
import type { McpSettings } from "../src/contracts/config/mcp.ts";
import type { ListedTool, McpCatalogue, McpLink } from "../src/contracts/mcp.ts";
import { type StoredServer, readServer, saveLink, saveServer, touchServer } from "../src/storage/mcp-store.ts";
import type { SqlPort } from "../src/storage/sql-port.ts";
import { systemPorts } from "./system-ports.ts";

const SECOND_MS = 1000;
/** A server that did not answer is left alone for a while, so that not every turn waits for it. */
const AGAIN_SECS = 30;

export type ServerSettings = McpSettings["servers"][number];

interface Known {
  readonly stored: StoredServer;
  /** Of the definitions listed now, by the server's own names. */
  readonly hashes: ReadonlyMap<string, string>;
}

export class McpCatalogues {
  readonly #sql: SqlPort;
  readonly #known = new Map<string, Known>();
  readonly #failedAt = new Map<string, number>();

  constructor(sql: SqlPort) {
    this.#sql = sql;
  }

  /** As the rows have it, read once. A server at another address is a new one. */
  find(settings: ServerSettings): StoredServer | undefined {
    const stored = this.#known.get(settings.name)?.stored ?? readServer(this.#sql, settings.name);
    if (stored === undefined || stored.address !== addressOf(settings)) return undefined;
    if (!this.#known.has(settings.name)) this.#hold(settings, stored);
    return stored;
  }

  /** Never read, too old, or said to have changed. */
  isDue(settings: ServerSettings): boolean {
    const now = systemPorts.now();
    const ttlMs = settings.catalogueTtlSecs * SECOND_MS;
    const failedAt = this.#failedAt.get(settings.name);
    if (failedAt !== undefined && now < failedAt + Math.min(AGAIN_SECS * SECOND_MS, ttlMs)) return false;
    const known = this.find(settings);
    return known === undefined || known.stale || now >= known.readAt + ttlMs;
  }

  /** Whether the server's listing, as it is now, has this tool no more, or with another definition. */
  isWithdrawn(server: string, tool: string, hash: string): boolean {
    const known = this.#known.get(server);
    return known !== undefined && known.hashes.get(tool) !== hash;
  }

  failed({ name }: ServerSettings): void {
    this.#failedAt.set(name, systemPorts.now());
  }

  keep(settings: ServerSettings, catalogue: McpCatalogue, link: McpLink | undefined): void {
    const { name } = settings;
    const before = this.find(settings);
    const age = { readAt: systemPorts.now(), stale: false };
    const listed = Object.fromEntries(catalogue.tools.map((tool) => [tool.name, tool.hash]));
    const pins = { ...listed, ...before?.pins };
    const stored = { address: addressOf(settings), catalogue, pins, ...age, ...(link === undefined ? {} : { link }) };
    this.#failedAt.delete(name);
    this.#hold(settings, stored);
    if (before !== undefined && JSON.stringify(before.catalogue) === JSON.stringify(catalogue)) {
      return touchServer(this.#sql, name, age);
    }
    for (const tool of catalogue.quarantined) {
      systemPorts.log("warn", "mcp_tool_quarantined", { server: name, tool: tool.name, reason: tool.reason });
    }
    for (const tool of catalogue.tools.filter((found) => isChanged(settings, stored, found))) {
      systemPorts.log("warn", "mcp_definition_changed", { server: name, tool: tool.name });
    }
    saveServer(this.#sql, name, stored);
  }

  keepLink({ name }: ServerSettings, link: McpLink | undefined): void {
    saveLink(this.#sql, name, link);
  }

  markStale(settings: ServerSettings): void {
    const stored = this.find(settings);
    if (stored === undefined) return;
    this.#hold(settings, { ...stored, stale: true });
    touchServer(this.#sql, settings.name, { readAt: stored.readAt, stale: true });
  }

  #hold({ name }: ServerSettings, stored: StoredServer): void {
    const hashes = new Map(stored.catalogue.tools.map((tool) => [tool.name, tool.hash]));
    this.#known.set(name, { stored, hashes });
  }
}

const addressOf = ({ transport, url }: ServerSettings): string => `${transport} ${url}`;

/** Since it was first seen here, or from what the configuration expects. */
export function isChanged({ pins }: ServerSettings, known: StoredServer, { name, hash }: ListedTool): boolean {
  const seen = Object.hasOwn(known.pins, name) ? known.pins[name] : hash;
  return (pins.get(name) ?? seen) !== hash;
}
