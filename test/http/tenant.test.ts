/** Routes over a tenant's object: lists, the inbox, usage, deletion; only ever of the caller's own tenant. */
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { failWith, succeed } from "../../src/contracts/result.ts";
import type { EdgeEnv } from "../../src/http/env.ts";
import { approvalRoutes } from "../../src/http/routes/approvals.ts";
import { conversationRoutes } from "../../src/http/routes/conversations.ts";
import { usageRoutes } from "../../src/http/routes/usage.ts";
import { scopes } from "../../src/http/scopes.ts";
import { notFound } from "../../src/wire/problem.ts";
import { conversation, createEdge, type Edge, refusalOf } from "./edge.ts";

const path = `/v1/conversations/${conversation}`;
const owner = { tenant: "dev", conversation };
const view = async () => succeed({ id: conversation, agent: "assistant", createdAt: 0 });
const absent = async () => failWith(notFound);
const told = ({ calls }: Edge): unknown[] => calls.map(({ tenant, verb, args }) => [tenant, verb, args.at(-1)]);

describe("lists", () => {
  test("[G16] conversations come from the object of the caller's tenant, with links and a cursor", async () => {
    const entry = { conversation, agent: "assistant", status: "running", createdAt: 0, activeAt: 1000 } as const;
    const edge = createEdge({
      tenantVerbs: { listConversations: async () => succeed({ items: [{ n: 41, ...entry }], more: true }) },
    });
    const response = await edge.send("/v1/conversations?agent=assistant&status=running&before=50&limit=1");
    expect(await response.json()).toEqual({
      conversations: [
        {
          conversation,
          agent: "assistant",
          status: "running",
          created_at: "1970-01-01T00:00:00.000Z",
          active_at: "1970-01-01T00:00:01.000Z",
          links: { self: path },
        },
      ],
      next_before: 41,
    });
    expect(edge.calls.map(({ tenant, args }) => [tenant, ...args])).toEqual([
      ["dev", "dev", { agent: "assistant", status: "running", before: 50, limit: 1 }],
    ]);
  });

  test("[G16] the last page has no cursor", async () => {
    const nothing = async () => succeed({ items: [], more: false });
    const edge = createEdge({ tenantVerbs: { listConversations: nothing, listInbox: nothing } });
    const read = async (at: string): Promise<unknown> => await (await edge.send(at)).json();
    expect(await read("/v1/conversations")).toEqual({ conversations: [], next_before: null });
    expect(await read("/v1/approvals?limit=7")).toEqual({ approvals: [], next_before: null });
    expect(told(edge)).toEqual([
      ["dev", "listConversations", { limit: 100 }],
      ["dev", "listInbox", { limit: 7 }],
    ]);
  });

  test.each([
    ["/v1/conversations?status=busy", "status"],
    ["/v1/conversations?tenant=other", "tenant"],
    ["/v1/conversations?before=-1", "before"],
    ["/v1/approvals?tenant=other", "tenant"],
    ["/v1/usage?from=2026-13-01", "from"],
    ["/v1/usage?to=yesterday", "to"],
    ["/v1/usage?tenant=other", "tenant"],
  ])("[G16] %s is 400 and no object wakes", async (at, parameter) => {
    const edge = createEdge();
    const response = await edge.send(at);
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ path: parameter }] }]);
    expect(edge.calls).toEqual([]);
  });

  test("[SE80] usage names days, agents and both periods", async () => {
    const standing = { reservedUsd: 3, heldUsd: 1, committedUsd: 1, releasedUsd: 1, lapsedUsd: 0 };
    const tokens = { inputTokens: 1, outputTokens: 2, cachedTokens: 3, reasoningTokens: 4 };
    const line = { day: "2026-11-15", agent: "assistant", turns: 2, costUsd: 1, ...tokens };
    const edge = createEdge({
      tenantVerbs: {
        readUsage: async (_tenant, { from = "", to = "" }) =>
          succeed({ from, to, lines: [line], today: standing, month: standing }),
      },
    });
    const response = await edge.send("/v1/usage?from=2026-11-01&to=2026-11-30");
    const budget = { reserved_usd: 3, held_usd: 1, committed_usd: 1, released_usd: 1, lapsed_usd: 0 };
    expect(await response.json()).toEqual({
      from: "2026-11-01",
      to: "2026-11-30",
      usage: [
        {
          day: "2026-11-15",
          agent: "assistant",
          turns: 2,
          cost_usd: 1,
          input_tokens: 1,
          output_tokens: 2,
          cached_tokens: 3,
          reasoning_tokens: 4,
        },
      ],
      budget: { today: budget, month: budget },
    });
  });

  test("[DU35] a tenant's object that cannot be reached is asked once more over a new stub, then 503", async () => {
    const gone = Object.assign(new Error("Network connection lost."), { retryable: true });
    const edge = createEdge({ tenantVerbs: { listInbox: () => Promise.reject(gone) } });
    expect(await refusalOf(await edge.send("/v1/approvals"))).toBe("503 /problems/overloaded");
    expect(edge.calls).toHaveLength(2);
    expect(edge.log.map(({ code }) => code)).toEqual(["object_unreachable"]);
  });
});

describe("deletion", () => {
  const drop = (edge: Edge): Promise<Response> => edge.send(path, { method: "DELETE" });

  test("[DU46] what is there is handed to the tenant's object", async () => {
    const edge = createEdge({
      verbs: { readConversation: view },
      tenantVerbs: { deleteConversation: async () => succeed(null) },
    });
    const response = await drop(edge);
    expect([response.status, await response.json()]).toEqual([202, { conversation, deleted: true }]);
    expect(told(edge).slice(1)).toEqual([["dev", "deleteConversation", owner]]);
  });

  test("[DU46] what was deleted before is deleted again, and reading it is 410", async () => {
    const edge = createEdge({
      verbs: { readConversation: absent, listTurns: absent, listApprovals: absent, listReceipts: absent },
      tenantVerbs: { isDeleted: async () => succeed(true), deleteConversation: async () => succeed(null) },
    });
    expect((await drop(edge)).status).toBe(202);
    for (const below of ["", "/turns", "/approvals", "/receipts"]) {
      expect(await refusalOf(await edge.send(path + below))).toBe("410 /problems/conversation-deleted");
    }
  });

  test("[DU46] whether it was deleted is asked only where there is nothing, and no answer is no deletion", async () => {
    const gone = Object.assign(new Error("Network connection lost."), { retryable: true });
    const silent = createEdge({
      verbs: { readConversation: absent },
      tenantVerbs: { isDeleted: () => Promise.reject(gone) },
    });
    expect(await refusalOf(await silent.send(path))).toBe("404 /problems/not-found");
    const there = createEdge({ verbs: { readConversation: view } });
    expect((await there.send(path)).status).toBe(200);
    expect(await refusalOf(await there.send("/v1/conversations/short"))).toBe("404 /problems/not-found");
    expect(told(there).map(String)).toHaveLength(1);
  });

  test("[SE17] what never was, here or at another tenant, is 404 and stays so", async () => {
    const edge = createEdge({
      verbs: { readConversation: absent },
      tenantVerbs: { isDeleted: async () => succeed(false) },
    });
    expect(await refusalOf(await drop(edge))).toBe("404 /problems/not-found");
    expect(await refusalOf(await edge.send(path))).toBe("404 /problems/not-found");
  });

  test("[SE52] a body that says something is refused", async () => {
    const edge = createEdge();
    const body = { method: "DELETE", headers: { "content-type": "application/json" }, body: '{"now":true}' };
    expect(await refusalOf(await edge.send(path, body))).toBe("400 /problems/invalid-request");
    expect(edge.calls).toEqual([]);
  });
});

describe("scopes and tenants", () => {
  const needed: Record<string, (typeof scopes)[number]> = {
    "GET /v1/conversations": "conversations:read",
    "DELETE /v1/conversations/:conversation": "conversations:delete",
    "GET /v1/approvals": "conversations:read",
    "GET /v1/usage": "admin",
  };
  const routes = [...conversationRoutes, ...approvalRoutes, ...usageRoutes].flatMap((route) => {
    const scope = needed[`${route.method} ${route.path}`];
    return scope === undefined ? [] : [{ route, scope }];
  });

  /** Runs a route as this principal; answers its outcome and the tenants whose objects were reached. */
  async function runAs(route: (typeof routes)[number]["route"], tenant: string, held: readonly string[]) {
    const reached: string[] = [];
    let refusal: string | undefined;
    const app = new Hono<EdgeEnv>().on(route.method, route.path, async (context) => {
      context.set("principal", { tenant, subject: "s", channel: "http", scopes: held });
      context.set("requestId", "r");
      const answer = await route.run(context, {
        config: () => expect.unreachable(),
        describeTools: () => expect.unreachable(),
        judgeUrl: () => expect.unreachable(),
        conversations: (name) => {
          reached.push(name);
          throw Object.assign(new Error("reached"), { overloaded: true });
        },
        tenants: (name) => {
          reached.push(name);
          throw Object.assign(new Error("reached"), { overloaded: true });
        },
        log: () => undefined,
        version: "",
        commit: "",
      });
      refusal = answer.ok ? undefined : answer.failure.slug;
      return new Response();
    });
    await app.request(route.path.replace(":conversation", conversation), { method: route.method });
    return { refusal, reached };
  }

  test("[SE14] each route asks for its own scope", async () => {
    expect(routes).toHaveLength(Object.keys(needed).length);
    for (const { route, scope } of routes) {
      const held = scopes.filter((one) => one !== scope);
      expect(await runAs(route, "t", held)).toEqual({ refusal: "forbidden", reached: [] });
    }
  });

  test("[G16] each route reaches the objects of its principal's tenant and no other", async () => {
    for (const { route, scope } of routes) {
      expect(await runAs(route, "another", [scope])).toEqual({ refusal: "overloaded", reached: ["another"] });
    }
  });
});
