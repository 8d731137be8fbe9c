/** Storage suite, memory: whose entries, in which order, how many, and who may still write. */
import { expect, test } from "vitest";
import { addMemory, listMemory } from "../../src/storage/memory-store.ts";
import { migrate } from "../../src/storage/migrations.ts";
import { TurnSuperseded } from "../../src/storage/transactions/turn-hold.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { finish, openFixture, type WithDatabase } from "./storage-fixture.ts";

const add = (sql: SqlPort, content: string, { key, agent = "ada" }: { key?: string; agent?: string } = {}): boolean =>
  sql.transaction(() => addMemory(sql, agent, { content, ...(key === undefined ? {} : { key }) }));

const contentsOf = (sql: SqlPort, agent = "ada"): readonly string[] =>
  listMemory(sql, agent).map(({ content }) => content);

export function describeMemory(withDatabase: WithDatabase): void {
  const withTables = (act: (sql: SqlPort) => void) => () =>
    withDatabase(({ sql }) => {
      migrate(sql, 0);
      act(sql);
    });

  test(
    "[TC33] an entry of the same key is replaced and becomes the newest; without a key nothing is",
    withTables((sql) => {
      const key = "k";
      const replaced = [add(sql, "one", { key }), add(sql, "two"), add(sql, "two"), add(sql, "three", { key })];
      expect([replaced, contentsOf(sql)]).toEqual([
        [false, false, false, true],
        ["two", "two", "three"],
      ]);
    }),
  );

  test(
    "[TC33] each agent has its own, keys included",
    withTables((sql) => {
      add(sql, "ada's", { key: "k" });
      expect(add(sql, "bob's", { key: "k", agent: "bob" })).toBe(false);
      expect([contentsOf(sql), contentsOf(sql, "bob"), contentsOf(sql, "eve")]).toEqual([["ada's"], ["bob's"], []]);
    }),
  );

  test(
    "[TC33] past 1,000 entries the oldest goes, of this agent alone",
    withTables((sql) => {
      add(sql, "first of bob", { agent: "bob" });
      for (let n = 0; n < 1001; n += 1) add(sql, `n${n}`);
      const kept = contentsOf(sql);
      expect([kept.length, kept[0], kept.at(-1)]).toEqual([1000, "n1", "n1000"]);
      expect(contentsOf(sql, "bob")).toEqual(["first of bob"]);
    }),
  );

  test(
    "[TC33] what must be escaped is read back as it was",
    withTables((sql) => {
      const content = '\u0000\ud800"'.repeat(2000);
      add(sql, content, { key: "\u0001" });
      expect(listMemory(sql, "ada")).toEqual([{ content, key: "\u0001" }]);
    }),
  );

  test("[TC33][DU12] a turn that has ended stores nothing any more", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      fixture.accept("t");
      fixture.start("t");
      const journal = fixture.journal("t");
      const memory = journal.memory("ada");
      expect(memory.store({ content: "in time" })).toEqual({ replaced: false });
      finish(journal, "t");
      expect(() => memory.store({ content: "late" })).toThrow(TurnSuperseded);
      expect(memory.list()).toEqual([{ content: "in time" }]);
    }));
}
