/** The tenant's object in workerd: through the port of a conversation, object to object, and through its routes. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env, exports } from "cloudflare:workers";
import { describe, expect, test } from "vitest";
import { createTenantPort, type TenantPort } from "../../../durable-objects/tenant-port.ts";
import type { AdmissionRequest, Projection } from "../../../src/contracts/tenant.ts";
import type { ApprovalView } from "../../../src/contracts/verbs.ts";
import { auditOrigin } from "../../../src/receipts/audit-chain.ts";
import { conversationObjectName, tenantObjectName } from "../../../src/http/object-name.ts";

const key = { authorization: "Bearer ck_dev_test", "content-type": "application/json" };
const base = "http://localhost/v1";
const limits = { dailyLimitUsd: 10, monthlyLimitUsd: 100 };
const admission: AdmissionRequest = {
  agent: "assistant",
  limits: {
    turnsPerMinute: 100,
    maxRunningTurns: 100,
    maxQueuedTurns: 100,
    maxPendingApprovals: 100,
    maxConversations: 100,
  },
};

const objectOf = (tenant: string) => env.TENANTS.getByName(tenantObjectName(tenant));
const alarmOf = (tenant: string): Promise<number | null> =>
  runInDurableObject(objectOf(tenant), (_, { storage }) => storage.getAlarm());
const tablesOf = (tenant: string): Promise<number> =>
  runInDurableObject(objectOf(tenant), (_, { storage }) => {
    const tables = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = '_migrations'");
    return tables.toArray().length;
  });

/** Everything in here runs inside a conversation's object, as the loop's calls do. */
function insideConversation<Value>(
  tenant: string,
  conversation: string,
  act: (port: TenantPort) => Promise<Value>,
): Promise<Value> {
  const stub = env.CONVERSATIONS.getByName(conversationObjectName(tenant, conversation));
  return runInDurableObject(stub, () => act(createTenantPort(env.TENANTS, { tenant, conversation })));
}

const get = async (path: string): Promise<unknown> =>
  await (await exports.default.fetch(`${base}${path}`, { headers: key })).json();

const approval: ApprovalView = {
  n: 1,
  approvalId: "appr_1",
  turn: "turn_1",
  callId: "call_1",
  agent: "assistant",
  tool: "refund",
  toolOrigin: "code",
  risk: "high",
  definitionHash: "0".repeat(64),
  argsDigest: "1".repeat(64),
  summary: "order: 7",
  expiresAt: Date.now() + 60_000,
  channel: "http",
  alwaysAsks: false,
  state: "pending",
};
const turnFact = (seq: number, state: "running" | "ended"): Projection => ({
  seq,
  at: Date.now(),
  kind: "turn",
  turn: "turn_1",
  agent: "assistant",
  state,
});

describe("from object to object", () => {
  test("[DU42][SE80] a turn's way: admitted, reserved, renewed, charged, projected", async () => {
    const owner = ["port", "conversation_through_port"] as const;
    const spend = { reservation: "turn_1/1/1", agent: "assistant", estimateUsd: 6 };
    const answers = await insideConversation(...owner, async (port) => [
      await port.admit({ ...admission, turn: "turn_1", budget: limits }),
      await port.reserve({ reservation: "turn_1/1/1", estimateUsd: 6, limits }),
      await port.reserve({ reservation: "turn_1/1/1", estimateUsd: 6, limits }),
      await port.renew("turn_1/1/1"),
      await port.reserve({ reservation: "turn_1/2/1", estimateUsd: 6, limits }),
      await port.commit({ ...spend, costUsd: 0.5 }),
      await port.reserve({ reservation: "turn_1/2/1", estimateUsd: 6, limits }),
      await port.release("turn_1/2/1"),
      await port.project([turnFact(1, "running"), turnFact(2, "ended")]),
    ]);
    const held = { ok: true, value: { state: "held" } };
    const done = { ok: true, value: null };
    const refused = { ok: false, failure: { slug: "quota-exceeded", members: { "violated-policies": ["budget"] } } };
    expect(answers).toMatchObject([done, held, held, held, refused, done, held, done, done]);
    const report = await objectOf("port").readUsage("port", {});
    expect(report).toMatchObject({
      ok: true,
      value: { today: { reservedUsd: 12, committedUsd: 0.5, releasedUsd: 11.5 } },
    });
  });

  test("[SE83][DU46] refusals are the problems to answer with", async () => {
    const owner = ["refusing", "conversation_that_is_gone"] as const;
    const none = { ...admission.limits, maxConversations: 0 };
    const [full, , gone] = await insideConversation(...owner, async (port) => [
      await port.admit({ ...admission, limits: none }),
      await objectOf("refusing").deleteConversation({ tenant: owner[0], conversation: owner[1] }),
      await port.admit(admission),
    ]);
    expect(full).toMatchObject({
      failure: { slug: "quota-exceeded", members: { "violated-policies": ["conversations"] } },
    });
    expect(gone).toMatchObject({ failure: { slug: "conversation-deleted" } });
  });

  test("[G16] another tenant's owner finds nothing here and leaves nothing", async () => {
    const stub = objectOf("mine");
    const notMine = { tenant: "theirs", conversation: "conversation_of_theirs" };
    const answers = await Promise.all([
      stub.admit(notMine, admission),
      stub.commit(notMine, { reservation: "r", agent: "assistant", estimateUsd: 1 }),
      stub.project(notMine, [turnFact(1, "running")]),
      stub.listConversations("theirs", { limit: 1 }),
      stub.listInbox("theirs", { limit: 1 }),
      stub.readUsage("theirs", {}),
      stub.deleteConversation(notMine),
      stub.isDeleted(notMine),
    ]);
    expect(answers.map((answer) => !answer.ok && answer.failure.slug)).toEqual(answers.map(() => "not-found"));
    expect(await tablesOf("mine")).toBe(0);
  });

  test("[DU48] looking at a tenant that nobody wrote to makes no tables", async () => {
    const stub = objectOf("unseen");
    const read = [
      await stub.listConversations("unseen", { limit: 1 }),
      await stub.listInbox("unseen", { limit: 1 }),
      await stub.readUsage("unseen", {}),
      await stub.isDeleted({ tenant: "unseen", conversation: "conversation_unseen" }),
    ];
    expect(read.every(({ ok }) => ok)).toBe(true);
    expect(await tablesOf("unseen")).toBe(0);
  });

  test("[DU45] the alarm stands at the next lease, lapses it, and is gone when nothing is left", async () => {
    const port = createTenantPort(env.TENANTS, { tenant: "leases", conversation: "conversation_with_leases" });
    const before = Date.now();
    await port.reserve({ reservation: "r", estimateUsd: 2, limits });
    const at = (await alarmOf("leases")) ?? 0;
    expect(at).toBeGreaterThanOrEqual(before + 15 * 60_000);
    expect(at).toBeLessThanOrEqual(Date.now() + 15 * 60_000);
    await runInDurableObject(objectOf("leases"), (_, { storage }) => {
      storage.sql.exec("UPDATE deadlines SET at_ms = 0").toArray();
    });
    expect(await runDurableObjectAlarm(objectOf("leases"))).toBe(true);
    expect(await objectOf("leases").readUsage("leases", {})).toMatchObject({
      value: { today: { lapsedUsd: 2, heldUsd: 0 } },
    });
    expect(await alarmOf("leases")).toBeNull();
  });
});

describe("routes", () => {
  const post = (path: string, body: object): Promise<Response> =>
    exports.default.fetch(`${base}${path}`, { method: "POST", headers: key, body: JSON.stringify(body) });

  test("[G16] list, inbox and usage show what was projected", async () => {
    const conversation = "conversation_in_the_lists";
    await insideConversation("dev", conversation, async (port) => {
      await port.project([turnFact(1, "running"), { seq: 2, at: Date.now(), kind: "approval_opened", approval }]);
      await port.commit({ reservation: "r", agent: "assistant", estimateUsd: 1, costUsd: 0.25 });
    });
    expect(await get("/conversations?status=running")).toMatchObject({
      conversations: [{ conversation, agent: "assistant", status: "running" }],
      next_before: null,
    });
    expect(await get("/approvals")).toMatchObject({
      approvals: [{ approval_id: "appr_1", conversation, arguments_summary: "order: 7", state: "pending" }],
      next_before: null,
    });
    expect(await get("/usage")).toMatchObject({
      usage: [{ agent: "assistant", turns: 1, cost_usd: 0.25 }],
      budget: { today: { committed_usd: 0.25, held_usd: 0 } },
    });
  });

  test("[DU46][AU3] deletion: 202, then nothing is left of it but the answer that it is gone, and where its chain ended", async () => {
    const id = "conversation_to_be_deleted";
    const path = `/conversations/${id}`;
    const stub = (): DurableObjectStub => env.CONVERSATIONS.getByName(conversationObjectName("dev", id));
    expect((await post(`${path}/turns`, { input: "hello" })).status).toBe(200);
    const sse = { ...key, accept: "text/event-stream" };
    const stream = await exports.default.fetch(`${base}${path}/events`, { headers: sse });
    const followed = stream.text().then(
      () => "ended",
      () => "cut",
    );
    await runInDurableObject(stub(), (_, { storage }) => storage.setAlarm(Date.now() + 60_000));
    const drop = (): Promise<Response> => exports.default.fetch(`${base}${path}`, { method: "DELETE", headers: key });
    expect((await drop()).status).toBe(202);
    const tables = (): Promise<number> =>
      runInDurableObject(
        stub(),
        async (_, { storage }) =>
          storage.sql
            .exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\'")
            .toArray().length,
      );
    await expect.poll(tables, { timeout: 10_000 }).toBe(0);
    expect(await runInDurableObject(stub(), (_, { storage }) => storage.getAlarm())).toBeNull();
    expect(await followed).toBe("cut");
    const read = await exports.default.fetch(`${base}${path}`, { headers: key });
    expect([read.status, await read.json()]).toEqual([
      410,
      expect.objectContaining({ type: "/problems/conversation-deleted" }),
    ]);
    const kept = await runInDurableObject(objectOf("dev"), (_, { storage }) =>
      storage.sql.exec("SELECT * FROM tombstones WHERE conversation = ?", id).one(),
    );
    expect(kept).toMatchObject({
      head_hash: auditOrigin({ tenant: "dev", conversation: id }),
      entries: 0,
      receipts: 0,
      turns: 1,
    });
    expect((await drop()).status).toBe(202);
    const absent = await exports.default.fetch(`${base}/conversations/conversation_never_there`, {
      method: "DELETE",
      headers: key,
    });
    expect(absent.status).toBe(404);
  });
});
