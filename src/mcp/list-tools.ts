/** listTools: a server's whole listing, page by page, its entries unread. Rules: EX9, MC4. */
import type { McpFault } from "../contracts/mcp.ts";
import { type Result, succeed } from "../contracts/result.ts";
import type { ServerConnection } from "./server-connection.ts";

const MOST_PAGES = 100;
const MOST_TOOLS = 1000;

export interface ToolListing {
  /** As they came. */
  readonly entries: readonly unknown[];
  /** Why it ends before the server said that it does. */
  readonly cut?: "repeated_cursor" | "too_many_pages" | "too_many_tools";
}

export async function listTools(
  connection: Pick<ServerConnection, "listPage">,
): Promise<Result<ToolListing, McpFault>> {
  const entries: unknown[] = [];
  const seen = new Set<unknown>();
  let cursor: string | undefined;
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const answered = await connection.listPage(cursor);
    if (!answered.ok) return answered;
    const { tools, nextCursor } = answered.value;
    entries.push(...tools);
    if (entries.length > MOST_TOOLS) return succeed({ entries: entries.slice(0, MOST_TOOLS), cut: "too_many_tools" });
    if (typeof nextCursor !== "string") return succeed({ entries });
    if (seen.has(nextCursor)) return succeed({ entries, cut: "repeated_cursor" });
    seen.add(nextCursor);
    cursor = nextCursor;
  }
  return succeed({ entries, cut: "too_many_pages" });
}
