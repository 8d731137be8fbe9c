/** Verbs of a turn under way and of approvals: what the object is asked, how each is answered, who may. */
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import type { Problem } from "../../src/contracts/errors.ts";
import { failWith, succeed } from "../../src/contracts/result.ts";
import type { TurnRecord } from "../../src/contracts/turn.ts";
import type { ApprovalView } from "../../src/contracts/verbs.ts";
import type { EdgeEnv } from "../../src/http/env.ts";
import { approvalRoutes } from "../../src/http/routes/approvals.ts";
import { turnVerbRoutes } from "../../src/http/routes/turn-verbs.ts";
import { scopes } from "../../src/http/scopes.ts";
import {
  approvalDecided,
  approvalExpired,
  approvalVoid,
  toolResultConflict,
  turnFinished,
  turnNotRunning,
} from "../../src/wire/turn-problems.ts";
import { conversation, createEdge, type Edge, readProblem, refusalOf } from "./edge.ts";

const base = `/v1/conversations/${conversation}`;
const turnPath = `${base}/turns/trn_1`;
const turn: TurnRecord = {
  n: 1,
  id: "trn_1",
  agent: "assistant",
  state: "suspended",
  entry: "http",
  channel: "http",
  subject: "key:dev",
  narrowing: {},
  attempt: 1,
  acceptedAt: 0,
};
const approval: ApprovalView = {
  n: 1,
  approvalId: "apr_1",
  turn: "trn_1",
  callId: "call_1",
  agent: "assistant",
  tool: "shell",
  toolOrigin: "builtin",
  risk: "high",
  definitionHash: "d",
  argsDigest: "a",
  summary: "command: pwd",
  expiresAt: 0,
  channel: "http",
  alwaysAsks: true,
  state: "decided",
  decided: { decision: "deny", provenance: "operator", decidedBy: "key:ann", channel: "http", decidedAt: 0 },
};

const view = async () => succeed({ turn });
const refuse = (problem: Problem) => async () => failWith(problem);
const reset = (): Error => Object.assign(new Error("Network connection lost."), { retryable: true });
const argsOf = ({ calls }: Edge): readonly unknown[] => calls[0]?.args.slice(1) ?? [];
const command = { method: "POST" };

describe("cancel", () => {
  test("[G11] it is asked by its address alone, and answered 202 with the state", async () => {
    const edge = createEdge({ verbs: { cancelTurn: view } });
    const response = await edge.send(`${turnPath}/cancel`, command);
    expect([response.status, await response.json()]).toMatchObject([202, { turn: "trn_1", state: "suspended" }]);
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
    expect(edge.calls).toMatchObject([{ tenant: "dev", conversation, verb: "cancelTurn", args: [{}, "trn_1"] }]);
  });

  test("[SE59] an empty object is as good as no body, and any other body is judged like one", async () => {
    const edge = createEdge({ verbs: { cancelTurn: view } });
    expect((await edge.post(`${turnPath}/cancel`, {})).status).toBe(202);
    const typed = { ...command, headers: { "content-type": "application/json" } };
    expect((await edge.send(`${turnPath}/cancel`, typed)).status).toBe(202);
    expect(await refusalOf(await edge.post(`${turnPath}/cancel`, { why: "x" }))).toBe("400 /problems/invalid-request");
    expect(await refusalOf(await edge.post(`${turnPath}/cancel`, "{"))).toBe("400 /problems/invalid-json");
    const form = { ...command, headers: { "content-type": "text/plain" }, body: "x" };
    expect(await refusalOf(await edge.send(`${turnPath}/cancel`, form))).toBe("415 /problems/unsupported-media-type");
    expect(edge.calls).toHaveLength(2);
  });

  test("another end is 409 with that end", async () => {
    const edge = createEdge({ verbs: { cancelTurn: refuse(turnFinished("completed")) } });
    const problem = await readProblem(await edge.send(`${turnPath}/cancel`, command));
    expect(problem).toMatchObject({ status: 409, type: "/problems/turn-finished", outcome: "completed" });
  });

  test("[DU35] it is asked again of an object that went away, since twice is once", async () => {
    const edge = createEdge({ verbs: { cancelTurn: async () => Promise.reject(reset()) } });
    expect(await refusalOf(await edge.send(`${turnPath}/cancel`, command))).toBe("503 /problems/overloaded");
    expect(edge.calls).toHaveLength(2);
  });

  test("[SE16] an id out of grammar is not found before an object wakes", async () => {
    const edge = createEdge();
    expect(await refusalOf(await edge.send(`${base}/turns/a.b/cancel`, command))).toBe("404 /problems/not-found");
    expect(await refusalOf(await edge.post(`${base}/approvals/a.b`, {}))).toBe("404 /problems/not-found");
    expect(edge.calls).toEqual([]);
  });
});

describe("messages", () => {
  test("[LC26] a message reaches its turn well-formed, once, and is answered 202", async () => {
    const edge = createEdge({ verbs: { steerTurn: view } });
    const response = await edge.post(`${turnPath}/messages`, String.raw`{"text":"a\ud800"}`);
    expect([response.status, argsOf(edge)]).toEqual([202, ["trn_1", [{ type: "text", text: "a\ufffd" }]]]);
    const lost = createEdge({ verbs: { steerTurn: async () => Promise.reject(reset()) } });
    await lost.post(`${turnPath}/messages`, { text: "a" });
    expect(lost.calls).toHaveLength(1);
  });

  test("[LC26] a turn that is not under way is 409", async () => {
    const edge = createEdge({ verbs: { steerTurn: refuse(turnNotRunning("completed")) } });
    const refused = await edge.post(`${turnPath}/messages`, { input: "a" });
    expect(await refusalOf(refused)).toBe("409 /problems/turn-not-running");
  });
});

describe("results of client tools", () => {
  test("[TC27] they reach their turn together, and are answered with it", async () => {
    const edge = createEdge({ verbs: { postToolResults: view } });
    const results = [
      { call_id: "c1", output: "x" },
      { call_id: "c2", error: "y" },
    ];
    const response = await edge.post(`${turnPath}/tool_results`, { results });
    expect(response.status).toBe(200);
    expect(argsOf(edge)).toEqual([
      "trn_1",
      [
        { callId: "c1", result: { success: true, output: "x" } },
        { callId: "c2", result: { success: false, error: "y" } },
      ],
    ]);
  });

  test("[TC28] conflicts are named per call", async () => {
    const problem = toolResultConflict([{ callId: "c1", reason: "settled" }]);
    const edge = createEdge({ verbs: { postToolResults: refuse(problem) } });
    const refused = await edge.post(`${turnPath}/tool_results`, { results: [{ call_id: "c1", output: "x" }] });
    expect(await readProblem(refused)).toMatchObject({
      status: 409,
      type: "/problems/tool-result-conflict",
      errors: [{ path: "c1", message: "settled" }],
    });
  });
});

describe("approvals", () => {
  test("a page of them, newest first", async () => {
    const edge = createEdge({ verbs: { listApprovals: async () => succeed([approval]) } });
    const response = await edge.send(`${base}/approvals?before=9&limit=1`);
    expect(argsOf(edge)).toEqual([{ before: 9, limit: 1 }]);
    expect(await response.json()).toMatchObject({ approvals: [{ approval_id: "apr_1" }], next_before: null });
  });

  test("[SE23] a decision carries what was said; who said it is the principal", async () => {
    const edge = createEdge({ verbs: { decideApproval: async () => succeed(approval) } });
    const response = await edge.post(`${base}/approvals/apr_1`, { decision: "deny", note: "no" });
    expect([response.status, await response.json()]).toMatchObject([200, { decided: { decision: "deny" } }]);
    expect(response.headers.get("x-countersign-turn")).toBe("trn_1");
    expect(edge.calls[0]?.args).toMatchObject([
      { principal: { subject: "key:dev", channel: "http" } },
      "apr_1",
      { decision: "deny", note: "no" },
    ]);
    const spoofed = await edge.post(`${base}/approvals/apr_1`, { decision: "deny", decided_by: "ann" });
    expect(await refusalOf(spoofed)).toBe("400 /problems/invalid-request");
  });

  test.each([
    [approvalDecided(approval), "409 /problems/approval-decided"],
    [approvalExpired(approval), "410 /problems/approval-expired"],
    [approvalVoid(approval), "409 /problems/approval-void"],
  ])("[SE22] %o is %s", async (problem, refusal) => {
    const edge = createEdge({ verbs: { decideApproval: refuse(problem) } });
    expect(await refusalOf(await edge.post(`${base}/approvals/apr_1`, { decision: "approve" }))).toBe(refusal);
  });

  test("[SE22] a lost answer is asked for again, since the same decision twice has one effect", async () => {
    const edge = createEdge({ verbs: { decideApproval: async () => Promise.reject(reset()) } });
    await edge.post(`${base}/approvals/apr_1`, { decision: "approve" });
    expect(edge.calls).toHaveLength(2);
  });
});

/** Each route with a principal that holds every scope but the one it needs. */
describe("scopes", () => {
  const needed = new Map<string, (typeof scopes)[number]>([
    ["POST cancel", "turns:write"],
    ["POST messages", "turns:write"],
    ["POST tool_results", "turns:write"],
    ["GET approvals", "conversations:read"],
    ["POST :approval", "approvals:decide"],
  ]);

  test("[SE14] each route asks for its own scope before it reads a body", async () => {
    const told: Record<string, string> = {};
    for (const route of [...turnVerbRoutes, ...approvalRoutes]) {
      const name = `${route.method} ${route.path.split("/").at(-1)}`;
      const held = scopes.filter((scope) => scope !== needed.get(name));
      const app = new Hono<EdgeEnv>().on(route.method, route.path, async (context) => {
        context.set("principal", { tenant: "t", subject: "s", channel: "http", scopes: held });
        const answer = await route.run(context, {
          config: () => expect.unreachable(),
          describeTools: () => expect.unreachable(),
          judgeUrl: () => expect.unreachable(),
          conversations: () => expect.unreachable(),
          tenants: () => expect.unreachable(),
          log: () => undefined,
          version: "",
          commit: "",
        });
        told[name] = answer.ok ? "ok" : answer.failure.detail;
        return context.body(null);
      });
      const path = route.path
        .replace(":conversation", conversation)
        .replace(":turn", "trn_1")
        .replace(":approval", "a");
      await app.request(path, { method: route.method });
    }
    expect(told).toEqual(
      Object.fromEntries(Array.from(needed, ([name, scope]) => [name, `This needs the scope ${scope}.`])),
    );
  });
});
