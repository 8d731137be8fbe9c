/** What this conversation knows of each MCP server: its listing with the definitions first seen, when it was read, what spares the next handshake. Rules: MC3, MC7, MC11, MC19, SE28, SE32. */
import type { McpCatalogue, McpLink } from "../contracts/mcp.ts";
import { bodyName, dropBody, loadBody, storeBody } from "./bodies.ts";
import { bytesAt, insertRow, numberAt, updateRows } from "./rows.ts";
import type { SqlPort } from "./sql-port.ts";
import { decodeJson, encodeJson } from "./utf8.ts";

const MOST_LINK_BYTES = 65_536;

export interface KnownServer {
  /** Transport and URL: with another one it is another server. */
  readonly address: string;
  readonly catalogue: McpCatalogue;
  /** Hashes by the server's own names, as each was first seen here; withdrawn ones stay. */
  readonly pins: Readonly<Record<string, string>>;
}
export interface StoredServer extends KnownServer {
  /** Epoch milliseconds. */
  readonly readAt: number;
  /** The server said since that it changed. */
  readonly stale: boolean;
  readonly link?: McpLink;
}

export function readServer(sql: SqlPort, server: string): StoredServer | undefined {
  const [row] = sql.all("SELECT * FROM mcp_servers WHERE server = ?", server);
  if (row === undefined) return undefined;
  const known = decodeJson(loadBody(sql, catalogueOf(server), { row, column: "catalogue" })) as KnownServer;
  const link = row["link"] === null ? {} : { link: decodeJson(bytesAt(row, "link")) as McpLink };
  return { ...known, ...link, readAt: numberAt(row, "read_ms"), stale: numberAt(row, "stale") === 1 };
}

/** In the place of what was known of it. */
export function saveServer(sql: SqlPort, server: string, { link, readAt, stale, ...known }: StoredServer): void {
  sql.transaction(() => {
    sql.run("DELETE FROM mcp_servers WHERE server = ?", server);
    dropBody(sql, catalogueOf(server));
    const catalogue = storeBody(sql, catalogueOf(server), encodeJson(known));
    insertRow(sql, "mcp_servers", {
      server,
      read_ms: readAt,
      stale: stale ? 1 : 0,
      link: encodeLink(link),
      catalogue,
    });
  });
}

/** Its listing is as it was; only its age is another. */
export function touchServer(
  sql: SqlPort,
  server: string,
  { readAt, stale }: Pick<StoredServer, "readAt" | "stale">,
): void {
  updateRows(sql, { table: "mcp_servers", set: { read_ms: readAt, stale: stale ? 1 : 0 }, where: { server } });
}

export function saveLink(sql: SqlPort, server: string, link: McpLink | undefined): void {
  updateRows(sql, { table: "mcp_servers", set: { link: encodeLink(link) }, where: { server } });
}

const catalogueOf = (server: string): string => bodyName("mcp_servers", server, "catalogue");

/** It only spares a handshake: one that is too long is done without. */
function encodeLink(link: McpLink | undefined): Uint8Array | null {
  const bytes = link === undefined ? undefined : encodeJson(link);
  return bytes === undefined || bytes.byteLength > MOST_LINK_BYTES ? null : bytes;
}
