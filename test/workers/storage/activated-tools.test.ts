/** Activated tools, in a Durable Object, and after it has left memory. */
import { evictDurableObject, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { createSqlPort } from "../../../durable-objects/sql-port.ts";
import { listActivated } from "../../../src/storage/activated-store.ts";
import {
  activationOf,
  describeActivatedTools,
  openSearch,
  settleSearch,
} from "../../support/storage-activated-suite.ts";
import { openFixture } from "../../support/storage-fixture.ts";
import { withObjectDatabase } from "./object-database.ts";

describeActivatedTools(withObjectDatabase);

test("[TS15][DM13] an object that was evicted has its set again, in its order", async () => {
  const object = env.CONVERSATIONS.get(env.CONVERSATIONS.newUniqueId());
  const activated = ["b__x", "a__x"].map((tool) => activationOf(tool));
  await runInDurableObject(object, (_instance, { storage }) => {
    expect(settleSearch(openSearch(openFixture(createSqlPort(storage))), activated)).toBe(true);
  });
  await evictDurableObject(object);
  await runInDurableObject(object, (_instance, { storage }) => {
    expect(listActivated(createSqlPort(storage), { agent: "ada", frame: "" })).toEqual(activated);
  });
});
