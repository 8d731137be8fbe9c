/** The audit chain over the real object: what has an entry, what an entry says, and that no change of a row goes unnoticed. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exportAudit, pageAudit, walkAudit } from "../../durable-objects/audit-verbs.ts";
import type { AuditEntry } from "../../src/contracts/audit.ts";
import { auditOrigin, createAuditHasher, hashAuditRow, startAuditWalk } from "../../src/receipts/audit-chain.ts";
import { digestJson } from "../../src/receipts/digest.ts";
import { listAudit } from "../../src/storage/audit-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import { encodeJson } from "../../src/storage/utf8.ts";
import { eventsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { expectAudit } from "../support/storage-checker.ts";
import { openSuspensionRoom, type SuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const owner = { tenant: "dev", conversation: "conversation-that-waits" };
const entriesOf = ({ sql }: SuspensionRoom, kind?: AuditEntry["kind"]): readonly AuditEntry[] =>
  listAudit(sql, { after: 0, limit: 1000 }).filter((entry) => kind === undefined || entry.kind === kind);
const partsOf = (sql: SqlPort) => ({ owner, store: { sql, audit: createAuditHasher(owner) } });
const verdictOf = (sql: SqlPort) => walkAudit(partsOf(sql));

const tools = [
  createTool("works"),
  createTool("broken", () => ({ success: false, error: "no" })),
  createTool("asks"),
  createTool("other"),
];
const risk = { auto_approve: ["works", "broken"] };

describe("what has an entry", () => {
  test("[AU1][RD6][AP19][RE1] each call's disposition, each receipt, each decision, in the order in which they came about", async () => {
    const room = openSuspensionRoom({ tools, risk, clientTools: ["pick"] });
    await room.run([
      calls({ name: "works" }, { name: "broken" }, { name: "nothing" }, { name: "asks" }, { name: "pick" }),
      says("ok"),
    ]);
    const [first = "", second = ""] = room.asked();
    room.decide({ decision: "deny", note: "not now" }, first);
    room.decide({ decision: "always" }, second);
    await room.rest();
    await room.answer({ call_trn_1_5: { success: true, output: "red" } });
    await room.rest();
    expect(room.turn().state).toBe("completed");
    expect(
      entriesOf(room).map(({ kind, subject, data }) => [kind, subject, data["disposition"] ?? data["decision"]]),
    ).toEqual([
      ["disposition", "call_trn_1_3", "unknown_tool"],
      ["decision", first, "deny"],
      ["disposition", "call_trn_1_4", "denied"],
      ["decision", second, "always"],
      ["policy", second, undefined],
      ["receipt", "call_trn_1_1", undefined],
      ["disposition", "call_trn_1_1", "succeeded"],
      ["disposition", "call_trn_1_2", "failed"],
      ["disposition", "call_trn_1_5", "client_result"],
    ]);
    expectAudit(room.sql);
  });

  test("[AU1] a disposition names agent, tool, origin and digests; a receipt its token; a decision who, from where, on what", async () => {
    const room = openSuspensionRoom({ tools, risk });
    await room.run([calls({ name: "works" }, { name: "asks", args: { n: 1 } }), says("ok")]);
    room.decide({ decision: "replace", replacement: "use the other", note: "because" }, undefined, {
      subject: "key:eve",
    });
    await room.rest();
    const [receipt] = eventsOf(room.turn(), "turn_finished")[0]?.receipts ?? [];
    const hex = expect.stringMatching(/^[0-9a-f]{64}$/) as string;
    const [replaced, ran] = entriesOf(room, "disposition");
    const place = { turn: "trn_1", agent: "ada", tool_origin: "code" };
    expect(ran?.data).toEqual({
      ...place,
      tool: "works",
      tool_def: hex,
      args: hex,
      result: hex,
      disposition: "succeeded",
    });
    expect(replaced?.data).toEqual({ ...place, tool: "asks", tool_def: hex, args: hex, disposition: "replaced" });
    expect(entriesOf(room, "receipt")[0]?.data).toEqual({
      turn: "trn_1",
      tool: "works",
      seq: 1,
      receipt: receipt?.receipt,
    });
    expect(entriesOf(room, "decision")[0]?.data).toEqual({
      ...place,
      call: "call_trn_1_2",
      tool: "asks",
      tool_def: replaced?.data["tool_def"],
      args: replaced?.data["args"],
      asked: "http",
      state: "decided",
      provenance: "operator",
      decision: "replace",
      decided_by: "key:eve",
      channel: "http",
      replacement: digestJson("use the other"),
      note: digestJson("because"),
    });
  });

  test("[AU1] a cancel, what it closes, and approvals that lapse", async () => {
    const room = openSuspensionRoom({ tools, risk });
    await room.run([calls({ name: "asks" })]);
    room.cancel();
    room.cancel();
    await room.rest();
    await room.run([calls({ name: "asks" }), says("ok")]);
    room.pass(24 * 3_600_000);
    await room.alarm();
    await room.rest();
    expect(
      entriesOf(room).map(({ kind, data }) => [kind, data["provenance"] ?? data["reason"] ?? data["disposition"]]),
    ).toEqual([
      ["cancel", "cancel"],
      ["decision", "cancelled"],
      ["disposition", "cancelled"],
      ["decision", "expired"],
      ["disposition", "expired"],
    ]);
    expectAudit(room.sql);
  });
});

describe("the head", () => {
  test("[AU2][G15] turn_finished has the head as it is then; a conversation without entries has its own origin", async () => {
    const room = openSuspensionRoom({ tools, risk });
    await room.run([says("hello")]);
    const quiet = eventsOf(room.turn("trn_1"), "turn_finished")[0];
    expect(quiet?.head_hash).toBe(auditOrigin(owner));
    expect(auditOrigin({ ...owner, tenant: "other" })).not.toBe(auditOrigin(owner));
    expect(auditOrigin({ ...owner, conversation: "conversation-that-runs" })).not.toBe(auditOrigin(owner));
    await room.run([calls({ name: "works" }), says("ok")]);
    expect(eventsOf(room.turn("trn_2"), "turn_finished")[0]?.head_hash).toBe(entriesOf(room).at(-1)?.hash);
  });

  test("[AU2] pages go by number, and a walk is of the whole chain", async () => {
    const room = await openUsed();
    const page = pageAudit(partsOf(room.sql), { after: 1, limit: 2, verify: true });
    expect(page.entries.map(({ seq }) => seq)).toEqual([2, 3]);
    expect(page.head).toEqual({ seq: 6, hash: entriesOf(room).at(-1)?.hash });
    expect(page.verdict).toEqual({ verdict: "valid", entries: 6 });
    expect(pageAudit(partsOf(room.sql), { after: 0, limit: 1, verify: false })).not.toHaveProperty("verdict");
  });
});

async function openUsed(): Promise<SuspensionRoom> {
  const room = openSuspensionRoom({ tools, risk });
  await room.run([
    calls(
      { name: "works", args: { n: 1 } },
      { name: "works", args: { n: 2 } },
      { name: "broken" },
      { name: "nothing" },
    ),
    says("ok"),
  ]);
  return room;
}

describe("a chain that was tampered with", () => {
  test.each([
    ["another time", "UPDATE audit SET at_ms = at_ms + 1 WHERE seq = 3", 3, "hash"],
    ["another kind", "UPDATE audit SET kind = 'cancel' WHERE seq = 2", 2, "hash"],
    ["another subject", "UPDATE audit SET subject = 'call_trn_1_9' WHERE seq = 6", 6, "hash"],
    ["another predecessor", "UPDATE audit SET prev = hash WHERE seq = 4", 4, "prev"],
    ["another hash", "UPDATE audit SET hash = prev WHERE seq = 1", 1, "hash"],
    ["an entry taken out", "DELETE FROM audit WHERE seq = 2", 2, "order"],
    ["the beginning taken out", "DELETE FROM audit WHERE seq < 3", 1, "order"],
    ["the end taken off", "DELETE FROM audit WHERE seq > 4", 5, "announced"],
    ["everything taken out", "DELETE FROM audit", 1, "announced"],
  ])("[AU2][G15] %s is found, with its place", async (...[_what, change, seq, reason]) => {
    const room = await openUsed();
    expect(verdictOf(room.sql)).toEqual({ verdict: "valid", entries: 6 });
    room.sql.run(change);
    expect(verdictOf(room.sql)).toEqual({ verdict: "broken", seq, reason });
  });

  test("[AU2] other data, even with a hash that fits it, breaks the chain", async () => {
    const room = await openUsed();
    const entry = entriesOf(room)[4];
    if (entry === undefined) throw new Error("no entry");
    const data = { ...entry.data, disposition: "failed" };
    room.sql.run("UPDATE audit SET data = ? WHERE seq = 5", encodeJson(data));
    expect(verdictOf(room.sql)).toMatchObject({ seq: 5, reason: "hash" });
    room.sql.run("UPDATE audit SET hash = ? WHERE seq = 5", hashAuditRow({ ...entry, data }));
    expect(verdictOf(room.sql)).toMatchObject({ seq: 6, reason: "prev" });
  });

  test("[AU2][G15] no order but the true one, and no part but the whole, walks to the announced head", async () => {
    const entries = entriesOf(await openUsed());
    const head = entries.at(-1)?.hash;
    fc.assert(
      fc.property(fc.shuffledSubarray([...entries]), (some) => {
        const walk = startAuditWalk({ seq: 0, hash: auditOrigin(owner) });
        const broken = some.some((entry) => walk.step(entry) !== undefined);
        const isWhole = some.length === entries.length && some.every((entry, index) => entry.seq === index + 1);
        expect(!broken && walk.head.hash === head).toBe(isWhole);
      }),
    );
  });

  test("[AU2] a chain of another conversation or tenant does not begin where ours does", async () => {
    const [first] = entriesOf(await openUsed());
    for (const changed of [
      { ...owner, tenant: "acme" },
      { ...owner, conversation: "conversation-elsewhere" },
    ]) {
      const walk = startAuditWalk({ seq: 0, hash: auditOrigin(changed) });
      expect(first && walk.step(first)).toEqual({ seq: 1, reason: "prev" });
    }
  });
});

test("[AU2] the export is one document with the chain, its receipts and what their keys are derived from", async () => {
  const room = await openUsed();
  const response = exportAudit(partsOf(room.sql));
  const exported = await response.json<Record<string, unknown>>();
  const entries = entriesOf(room);
  expect(exported).toMatchObject({ format: "countersign-export/v1", ...owner, head: { seq: 6 }, entries });
  expect(exported["receipts"]).toMatchObject([
    { scope: owner.conversation, body: { seq: 1 } },
    { scope: owner.conversation, body: { seq: 2 } },
  ]);
  expect(exported["scopes"]).toEqual([{ scope: owner.conversation, salt: expect.stringMatching(/^[\w-]{22}$/) }]);
});
