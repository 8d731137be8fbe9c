/** A definition that changed while somebody was asked about it, or after it was approved for good. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectValidHistory } from "../support/storage-checker.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting } from "../support/test-tools.ts";

useStillClock();

/** Before and after a change of its schema. */
const before = () => createNoting("asks");
const after = () => createNoting("asks", { input: { type: "object", description: "changed" } });

describe("a changed definition", () => {
  test("[TS18][AP5][AP8] voids its open approval as soon as it is seen: the call is refused, and the turn goes on", async () => {
    const [old, changed] = [before(), after()];
    const room = openSuspensionRoom({ tools: [old.tool] });
    await room.run([calls({ name: "asks" }), says("ok")]);
    const [asked = ""] = room.asked();
    room.evict({ tools: [changed.tool] });
    await room.rest();
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn), old.ran, changed.ran]).toEqual(["completed", ["refused"], [], []]);
    expect(eventsOf(turn, "approval_decided")).toMatchObject([{ provenance: "superseded", decision: null }]);
    expect(resultsOf(turn)[0]).toMatch(/chang/);
    expect(room.decide({ decision: "approve" }, asked)).toMatchObject({ failure: { slug: "approval-void" } });
    expectValidHistory(turn.history);
  });

  test("[TS18] leaves what else is open, and the turn waits for that", async () => {
    const [old, changed] = [before(), after()];
    const other = createNoting("other");
    const room = openSuspensionRoom({ tools: [old.tool, other.tool] });
    await room.run([calls({ name: "asks" }, { name: "other" }), says("ok")]);
    room.evict({ tools: [changed.tool, other.tool] });
    await room.rest();
    expect([room.turn().state, room.asked()]).toEqual(["suspended", ["apr_call_trn_1_2"]]);
    room.decide({ decision: "approve" });
    await room.rest();
    expect([room.turn().state, dispositionsOf(room.turn())]).toEqual(["completed", ["refused", "succeeded"]]);
  });

  test("[TS18][AP14] removes the 'always' of the old one, and it does not come back with it", async () => {
    const [old, changed] = [before(), after()];
    const room = openSuspensionRoom({ tools: [old.tool] });
    await room.run([calls({ name: "asks" }), says("ok")]);
    room.decide({ decision: "always" });
    await room.rest();
    room.evict();
    expect(room.sql.all("SELECT tool_def FROM allowlist")).toHaveLength(1);
    room.evict({ tools: [changed.tool] });
    expect(room.sql.all("SELECT tool_def FROM allowlist")).toEqual([]);
    room.evict();
    await room.run([calls({ name: "asks" }), says("ok")]);
    expect(room.asked()).toHaveLength(1);
  });

  test("[TS18] a tool that is gone voids nothing: it may come back as it was", async () => {
    const old = before();
    const room = openSuspensionRoom({ tools: [old.tool] });
    await room.run([calls({ name: "asks" }), says("ok")]);
    room.evict({ tools: [] });
    expect(room.asked()).toHaveLength(1);
    room.evict();
    room.decide({ decision: "approve" });
    await room.rest();
    expect(old.ran).toHaveLength(1);
  });
});

test("[G6][TS18] a call that had started under another definition is not run again under what was approved for that one", async () => {
  const old = before();
  const risk = { auto_approve: ["again"] };
  const again = createNoting("again", { idempotent: true, readOnly: true });
  const other = createNoting("again", { idempotent: true, readOnly: true, input: { type: "object", title: "other" } });
  const room = openSuspensionRoom({ tools: [again.tool, old.tool], risk });
  await room.run([calls({ name: "again" }, { name: "asks" }), says("ok")]);
  // As a lost instance leaves it that had passed the fence and no further.
  const started =
    "UPDATE calls SET state = 'started', started_ms = 1, attempt = 1, idempotency_key = 'k' WHERE call_id = ?";
  room.sql.run(started, "call_trn_1_1");
  room.evict({ tools: [other.tool, old.tool], risk });
  room.decide({ decision: "approve" });
  await room.rest();
  const turn = room.turn();
  expect([turn.state, turn.reason, again.ran, other.ran]).toEqual(["failed", "internal", [], []]);
  expect(dispositionsOf(turn)).toContain("outcome_unknown");
  expectValidHistory(turn.history);
});
