/** Storage suite, values: what SQL is given, how large things are cut, what comes back. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { bodyName, loadBody, storeBody } from "../../src/storage/bodies.ts";
import { joinBytes, readChunks, writeChunks } from "../../src/storage/chunks.ts";
import { createConversation, readConversation } from "../../src/storage/conversation-store.ts";
import { hasTables, migrate } from "../../src/storage/migrations.ts";
import { readResultBytes, sliceResult } from "../../src/storage/result-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { findTurn } from "../../src/storage/turn-store.ts";
import { expectSmallValues } from "./storage-checker.ts";
import { begin, makeCall, openFixture, propose, settle, type WithDatabase } from "./storage-fixture.ts";

const limit = 262_144;
/** Milliseconds, for megabytes on a busy machine. */
const patience = 60_000;
const patterned = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, index) => (index * 31 + (index >> 8)) & 255);

/** A differ that prints megabytes is no help. */
const areEqual = (one: Uint8Array, other: Uint8Array): boolean =>
  one.byteLength === other.byteLength && one.every((byte, at) => byte === other[at]);

function runningCall(sql: SqlPort, raw: string): { callId: string } {
  const fixture = openFixture(sql);
  fixture.accept("t");
  fixture.start("t");
  const journal = fixture.journal("t");
  const call = makeCall("t", 0);
  propose(journal, "t", { step: 1, calls: [call] });
  begin(journal, call);
  settle(journal, call, raw);
  return call;
}

/** Binds what the types forbid. */
const callUntyped = (sql: SqlPort, method: "all" | "run", value: unknown): unknown =>
  Reflect.apply(sql[method], sql, ["SELECT ? AS v", value]);

function describePort(withDatabase: WithDatabase): void {
  test("[DU1] a string or blob over 256 KiB is refused, one of exactly that is not", () =>
    withDatabase(({ sql }) => {
      expect(() => sql.all("SELECT ? AS v", "x".repeat(limit))).not.toThrow();
      expect(() => sql.all("SELECT ? AS v", "x".repeat(limit + 1))).toThrow(RangeError);
      expect(() => sql.all("SELECT ? AS v", "é".repeat(limit / 2 + 1))).toThrow(RangeError);
      expect(() => sql.run("SELECT ? AS v", new Uint8Array(limit + 1))).toThrow(RangeError);
    }));

  test.each([[true], [1n], [undefined], [Number.NaN], [{}]])(
    "[DU2] %s is refused before the database can change it",
    (value) =>
      withDatabase(({ sql }) => {
        expect(() => callUntyped(sql, "all", value)).toThrow(TypeError);
        expect(() => callUntyped(sql, "run", value)).toThrow(TypeError);
      }),
  );

  test("[DU39] a RETURNING cursor is read to its end, so the transaction can commit", () =>
    withDatabase(({ sql }) => {
      sql.run("CREATE TABLE t (n INTEGER PRIMARY KEY)");
      const rows = sql.transaction(() => sql.all("INSERT INTO t (n) VALUES (1), (2) RETURNING n"));
      expect(rows.map((row) => row["n"])).toEqual([1, 2]);
      expect(sql.all("SELECT n FROM t")).toHaveLength(2);
    }));

  test("[DU4] run answers whether it changed a row, whatever ran before", () =>
    withDatabase(({ sql }) => {
      sql.run("CREATE TABLE t (n INTEGER PRIMARY KEY, v INTEGER UNIQUE)");
      expect(sql.run("INSERT INTO t VALUES (1, 1), (2, 2), (3, 3)")).toBe(true);
      expect(sql.run("UPDATE t SET v = v + 10 WHERE n > 1")).toBe(true);
      expect(sql.run("UPDATE t SET v = 0 WHERE n = 9")).toBe(false);
    }));

  test("[DU39] transactions nest: the inner one's throw takes back the inner one's rows alone", () =>
    withDatabase(({ sql }) => {
      sql.run("CREATE TABLE t (n INTEGER PRIMARY KEY)");
      sql.transaction(() => {
        sql.run("INSERT INTO t VALUES (1)");
        expect(() =>
          sql.transaction(() => {
            sql.run("INSERT INTO t VALUES (2)");
            throw new Error("inner");
          }),
        ).toThrow("inner");
      });
      expect(sql.all("SELECT n FROM t").map((row) => row["n"])).toEqual([1]);
    }));

  test("[DU2] a view into a larger buffer is bound as that view, an empty blob is not lost", () =>
    withDatabase(({ sql }) => {
      const [row] = sql.all("SELECT ? AS part, length(?) AS none", patterned(100).subarray(10, 13), new Uint8Array(0));
      expect(row?.["part"]).toEqual(patterned(100).slice(10, 13));
      expect(row?.["none"] ?? 0).toBe(0);
    }));
}

function describeMigrations(withDatabase: WithDatabase): void {
  test("[DU48] an object that nobody wrote to has no tables, and looking does not make any", () =>
    withDatabase(({ sql, written }) => {
      expect(hasTables(sql)).toBe(false);
      expect(written()).toBe(0);
      migrate(sql, 1);
      expect(hasTables(sql)).toBe(true);
    }));

  test("[DU43] each step is applied once", () =>
    withDatabase(({ sql, written }) => {
      migrate(sql, 1);
      const before = written();
      migrate(sql, 2);
      expect(written()).toBe(before);
      expect(sql.all("SELECT n, applied_ms FROM _migrations")).toEqual([{ n: 1, applied_ms: 1 }]);
    }));

  test("[DU43] a step that fails leaves nothing of itself and is repeated", () =>
    withDatabase(({ sql }) => {
      const first = ["CREATE TABLE a (n INTEGER PRIMARY KEY)"];
      expect(() => migrate(sql, 1, [first, ["CREATE TABLE b (n INTEGER PRIMARY KEY)", "nonsense"]])).toThrow(
        "syntax error",
      );
      expect(() => sql.all("SELECT n FROM b")).toThrow("no such table");
      migrate(sql, 2, [first, ["CREATE TABLE b (n INTEGER PRIMARY KEY)"]]);
      expect(sql.all("SELECT n, applied_ms FROM _migrations ORDER BY n")).toEqual([
        { n: 1, applied_ms: 1 },
        { n: 2, applied_ms: 2 },
      ]);
    }));
}

function describeBodies(withDatabase: WithDatabase, runs: number): void {
  test.each([0, 1, limit - 1, limit, limit + 1, 5 * 1024 * 1024])(
    "[DU1] %i bytes come back, in rows of 256 KiB at most",
    (size) =>
      withDatabase(({ sql }) => {
        migrate(sql, 1);
        const bytes = patterned(size);
        const name = bodyName("probe", 1, "body");
        const inline = storeBody(sql, name, bytes);
        expect(inline === null).toBe(size > limit);
        expect(areEqual(loadBody(sql, name, { row: { body: inline }, column: "body" }), bytes)).toBe(true);
        writeChunks(sql, "results", { owner: "call", bytes });
        expect(areEqual(joinBytes([...readResultBytes(sql, "call")]), bytes)).toBe(true);
        expectSmallValues(sql);
      }),
    patience,
  );

  test("[BD8] any byte range of a stored result is that slice", () =>
    withDatabase(({ sql }) => {
      migrate(sql, 1);
      const bytes = patterned(2 * limit + 77);
      writeChunks(sql, "results", { owner: "call", bytes });
      const edge = fc.oneof(fc.nat(bytes.length + 10), fc.constantFrom(0, limit - 1, limit, limit + 1, 2 * limit));
      fc.assert(
        fc.property(edge, edge, (one, other) => {
          const range = { start: Math.min(one, other), end: Math.max(one, other) };
          const read = joinBytes([...readChunks(sql, "results", { owner: "call", ...range })]);
          expect(areEqual(read, bytes.subarray(range.start, range.end))).toBe(true);
        }),
        { numRuns: runs },
      );
    }));

  test("[BD9] read_result ranges count code points, also where a chunk cuts one", () =>
    withDatabase(({ sql }) => {
      const raw = `${"a".repeat(limit - 2)}🙂é\u{1F9E0}z`;
      const { callId } = runningCall(sql, raw);
      const points = Array.from(raw);
      const from = limit - 4;
      for (const offset of [from, from + 1, from + 2, from + 3, from + 4, points.length]) {
        for (const length of [0, 1, 2, 10]) {
          const text = points.slice(offset, offset + length).join("");
          expect(sliceResult(sql, { callId, offset, length })).toEqual({ tool: "weather", text, total: points.length });
        }
      }
      expect(sliceResult(sql, { callId: "call_of_nobody", offset: 0, length: 1 })).toBeUndefined();
    }));

  test("[BD9] a range in the middle of any text is what its code points say", async () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(text, fc.nat(30), fc.nat(30), (raw, offset, length) =>
        withDatabase(({ sql }) => {
          const { callId } = runningCall(sql, raw);
          const wanted = Array.from(raw)
            .slice(offset, offset + length)
            .join("");
          expect(sliceResult(sql, { callId, offset, length })?.text).toBe(wanted);
        }),
      ),
      { numRuns: Math.min(runs, 20) },
    );
  });

  test("[DU2] NUL, a byte order mark and a lone surrogate in what callers wrote come back as they were", () =>
    withDatabase(({ sql }) => {
      const fixture = openFixture(sql);
      const metadata = { nul: "a\u0000b", mark: "\uFEFFx", lone: "\uD800", ключ: "é" };
      fixture.accept("t", { metadata, subject: "s\u0000\uD800" });
      expect(findTurn(sql, "t")?.turn).toMatchObject({ metadata, subject: "s\u0000\uD800" });
      expect(runningCallText(sql)).toBe("\uFEFFa\u0000b");
    }));

  test("[DU1] a conversation, a message and an event larger than a row are cut and come back", () =>
    withDatabase(({ sql }) => {
      const text = "ü".repeat(700_000);
      migrate(sql, 1);
      const record = { tenant: "acme", conversation: "c", agent: "ada", metadata: { text }, createdAt: 1 };
      expect(createConversation(sql, record)).toEqual(record);
      expect(readConversation(sql)?.metadata?.["text"] === text).toBe(true);
      expect(createConversation(sql, { ...record, agent: "other" }).agent).toBe("ada");
      const fixture = openFixture(sql);
      fixture.accept("t", { input: [{ type: "text", text }] });
      const [entry] = fixture.journal("t").history();
      expect(entry?.kind === "user" && entry.parts[0]?.type === "text" && entry.parts[0].text === text).toBe(true);
      expectSmallValues(sql);
    }));
}

function runningCallText(sql: SqlPort): string | undefined {
  const fixture = openFixture(sql);
  fixture.start("t");
  const journal = fixture.journal("t");
  const call = makeCall("t", 0);
  propose(journal, "t", { step: 1, calls: [call] });
  begin(journal, call);
  settle(journal, call, "\uFEFFa\u0000b");
  return sliceResult(sql, { callId: call.callId, offset: 0, length: 100 })?.text;
}

export function describeStoredValues(withDatabase: WithDatabase, runs: number): void {
  describe("the port", () => {
    describePort(withDatabase);
  });
  describe("migrations", () => {
    describeMigrations(withDatabase);
  });
  describe("bodies and results", () => {
    describeBodies(withDatabase, runs);
  });
}
