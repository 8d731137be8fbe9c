/** Pages of the event log: as long as asked for, and no more read than that. */
import { createBoard } from "../support/progress-board.ts";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { EventFanout } from "../../durable-objects/event-fanout.ts";
import { pageEvents } from "../../durable-objects/event-verbs.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { createNodeSqlPort } from "../support/node-sql-port.ts";
import { makeEvent, openFixture } from "../support/storage-fixture.ts";

/** A log of so many events, and a tally of the bodies that were read from it. */
function openLog(length: number) {
  const sql = createNodeSqlPort(new DatabaseSync(":memory:"));
  const fixture = openFixture(sql);
  fixture.accept("t");
  fixture.start("t");
  const texts = Array.from({ length: length - 2 }, (_, n) =>
    makeEvent("t", { type: "text_delta", text: `${n}`, messageId: "m" }),
  );
  fixture.journal("t").appendEvents(texts);
  let bodies = 0;
  const counting: SqlPort = {
    ...sql,
    all: (statement, ...bindings) => {
      const rows = sql.all(statement, ...bindings);
      bodies += rows.filter((row) => "body" in row).length;
      return rows;
    },
  };
  const parts = {
    store: { ...fixture.context, sql: counting },
    durable: () => Promise.resolve(),
    fanout: new EventFanout(),
    progress: createBoard(),
  };
  return {
    bodies: () => bodies,
    page: async (limit: number, after = 0) => {
      const page = await pageEvents(parts, { after, limit, waitSecs: 0 });
      if (!page.ok) throw new Error(page.failure.slug);
      return page.value;
    },
  };
}

test.each([1, 499, 501, 1000])("[G4] a page of %i events has as many, and no other body is read", async (limit) => {
  const log = openLog(1200);
  const { events, nextAfter, live } = await log.page(limit);
  expect([events.length, nextAfter, live]).toEqual([limit, limit, true]);
  expect(log.bodies()).toBe(limit);
});

test("[G4] the next page goes on right behind it, to the end", async () => {
  const log = openLog(700);
  const { nextAfter } = await log.page(600);
  expect((await log.page(600, nextAfter)).events).toHaveLength(100);
});
