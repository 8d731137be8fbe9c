/** Storage suite, MCP servers: what is known of each, in the place of what was known before, of any size. */
import { expect, test } from "vitest";
import { migrate } from "../../src/storage/migrations.ts";
import { type StoredServer, readServer, saveLink, saveServer, touchServer } from "../../src/storage/mcp-store.ts";
import type { WithDatabase } from "./storage-fixture.ts";

const toolOf = (name: string, description = "") => ({
  name,
  description,
  inputSchema: { type: "object" },
  hash: `hash of ${name}`,
});
const known = (names: readonly string[], description?: string): StoredServer => ({
  address: "http https://a.example/mcp",
  catalogue: { tools: names.map((name) => toolOf(name, description)), quarantined: [] },
  pins: Object.fromEntries(names.map((name) => [name, `hash of ${name}`])),
  readAt: 7,
  stale: false,
});
const session = { era: "legacy", session: { id: "s-1", protocolVersion: "2025-11-25" } } as const;

export function describeMcpServers(withDatabase: WithDatabase): void {
  test("[MC3][MC11] listing, age and session of each server are as they were written, also names like __proto__", async () => {
    await withDatabase(({ sql }) => {
      migrate(sql, 0);
      const one = { ...known(["read", "__proto__", "constructor"]), link: session };
      saveServer(sql, "one", one);
      saveServer(sql, "two", known([]));
      expect(readServer(sql, "one")).toEqual(one);
      expect(Object.hasOwn(readServer(sql, "one")?.pins ?? {}, "__proto__")).toBe(true);
      expect(readServer(sql, "two")).toEqual(known([]));
      expect(readServer(sql, "three")).toBeUndefined();
    });
  });

  test("[MC3] a listing of megabytes, and a short one in its place", async () => {
    await withDatabase(({ sql }) => {
      migrate(sql, 0);
      const long = known(["read", "write"], "x".repeat(1_000_000));
      saveServer(sql, "files", long);
      expect(readServer(sql, "files")).toEqual(long);
      saveServer(sql, "files", known(["read"]));
      expect(readServer(sql, "files")).toEqual(known(["read"]));
      expect(sql.all("SELECT owner FROM overflow")).toEqual([]);
    });
  });

  test("[MC5][MC11] age and link change by themselves; a link that is too long is done without", async () => {
    await withDatabase(({ sql }) => {
      migrate(sql, 0);
      saveServer(sql, "files", known(["read"]));
      touchServer(sql, "files", { readAt: 9, stale: true });
      saveLink(sql, "files", session);
      expect(readServer(sql, "files")).toEqual({ ...known(["read"]), readAt: 9, stale: true, link: session });
      saveLink(sql, "files", { era: "modern", discover: { instructions: "x".repeat(70_000) } });
      expect(readServer(sql, "files")?.link).toBeUndefined();
    });
  });
}
