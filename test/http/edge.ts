/** The edge under test, over a namespace that records what it is asked and answers what a test lets it. */
import { succeed } from "../../src/contracts/result.ts";
import type { TenantEdgeVerbs } from "../../src/contracts/tenant.ts";
import type { ConversationVerbs } from "../../src/contracts/verbs.ts";
import { createApp } from "../../src/http/app.ts";
import type { ConversationStub, Dependencies, Deployment } from "../../src/http/dependencies.ts";
import { judgeUrl } from "../../src/policy/egress-guard.ts";

export const devKey = "ck_dev_test";
export const conversation = "conv_8Zc1f0aQ2mLk7Rt5XwBn4D";

export interface Recorded {
  readonly tenant: string;
  readonly conversation: string;
  readonly verb: string;
  readonly args: readonly unknown[];
}
export interface LogLine {
  readonly level: string;
  readonly code: string;
  readonly fields: unknown;
}

export interface Edge {
  readonly calls: readonly Recorded[];
  readonly log: readonly LogLine[];
  /** With the right key, unless `init.headers` say otherwise. */
  readonly send: (path: string, init?: RequestInit) => Promise<Response>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

export interface EdgeOptions {
  readonly verbs?: Partial<ConversationVerbs>;
  readonly tenantVerbs?: Partial<TenantEdgeVerbs>;
  readonly fetch?: (request: Request) => Promise<Response>;
  readonly deployment?: Partial<Deployment>;
  readonly env?: { readonly COUNTERSIGN_DEV_KEY?: string };
  readonly describeTools?: Dependencies["describeTools"];
}

const egress = {
  allowHosts: [],
  denyHosts: [],
  allowHttpHosts: [],
  allowPorts: [],
  allowIpLiterals: false,
  devHosts: [],
  production: true,
};

const usualDeployment: Deployment = {
  environment: "dev",
  faults: [],
  agents: [
    { alias: "assistant", enabled: true },
    { alias: "retired", enabled: false },
  ],
  defaultAgent: "assistant",
  corsOrigins: [],
};

export function createEdge(options: EdgeOptions = {}): Edge {
  const calls: Recorded[] = [];
  const log: LogLine[] = [];
  const app = createApp({
    config: () => ({ ...usualDeployment, ...options.deployment }),
    describeTools: options.describeTools ?? (async () => []),
    judgeUrl: (url, ownHost) => judgeUrl(url, { ...egress, ownHosts: [ownHost] }, (raw) => new URL(raw)),
    conversations: (tenant, id) => recordStub({ calls, tenant, conversation: id }, options),
    tenants: (tenant) => recordTenant(calls, tenant, { isDeleted: nothingDeleted, ...options.tenantVerbs }),
    log: (level, code, fields) => log.push({ level, code, fields }),
    version: "0.1.0",
    commit: "abc1234",
  });
  const env = options.env ?? { COUNTERSIGN_DEV_KEY: devKey };
  const send = async (path: string, init: RequestInit = {}): Promise<Response> =>
    await app.request(path, { ...init, headers: { authorization: `Bearer ${devKey}`, ...headersOf(init) } }, env);
  const post: Edge["post"] = (path, body, headers = {}) =>
    send(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
  return { calls, log, send, post };
}

const headersOf = (init: RequestInit): Record<string, string> => Object.fromEntries(new Headers(init.headers));

const nothingDeleted = async () => succeed(false);

/** Calls of the tenant's object are recorded under no conversation. */
function recordTenant(calls: Recorded[], tenant: string, verbs: EdgeOptions["tenantVerbs"]): TenantEdgeVerbs {
  const answer = async (verb: keyof TenantEdgeVerbs, args: readonly unknown[]): Promise<never> => {
    calls.push({ tenant, conversation: "", verb, args });
    const known = verbs?.[verb] as ((...given: readonly unknown[]) => Promise<never>) | undefined;
    if (known === undefined) throw new Error(`the test did not expect ${verb}`);
    return await known(...args);
  };
  return {
    listConversations: (...args) => answer("listConversations", args),
    deleteConversation: (...args) => answer("deleteConversation", args),
    isDeleted: (...args) => answer("isDeleted", args),
    listInbox: (...args) => answer("listInbox", args),
    readUsage: (...args) => answer("readUsage", args),
  };
}

function recordStub(
  record: { readonly calls: Recorded[]; readonly tenant: string; readonly conversation: string },
  options: EdgeOptions,
): ConversationStub {
  const { calls, ...owner } = record;
  const answer = async (verb: keyof ConversationVerbs, args: readonly unknown[]): Promise<never> => {
    calls.push({ ...owner, verb, args });
    const known = options.verbs?.[verb] as ((...given: readonly unknown[]) => Promise<never>) | undefined;
    if (known === undefined) throw new Error(`the test did not expect ${verb}`);
    return await known(...args);
  };
  return {
    createConversation: (...args) => answer("createConversation", args),
    readConversation: (...args) => answer("readConversation", args),
    startTurn: (...args) => answer("startTurn", args),
    readTurn: (...args) => answer("readTurn", args),
    listTurns: (...args) => answer("listTurns", args),
    awaitTurn: (...args) => answer("awaitTurn", args),
    cancelTurn: (...args) => answer("cancelTurn", args),
    steerTurn: (...args) => answer("steerTurn", args),
    postToolResults: (...args) => answer("postToolResults", args),
    listApprovals: (...args) => answer("listApprovals", args),
    decideApproval: (...args) => answer("decideApproval", args),
    readEvents: (...args) => answer("readEvents", args),
    listReceipts: (...args) => answer("listReceipts", args),
    readAudit: (...args) => answer("readAudit", args),
    readReceipt: (...args) => answer("readReceipt", args),
    verifyReceipt: (...args) => answer("verifyReceipt", args),
    fetch: async (request) => {
      calls.push({ ...owner, verb: "fetch", args: [request] });
      if (options.fetch === undefined) throw new Error("the test did not expect a fetch");
      return await options.fetch(request);
    },
  };
}

export interface ProblemDocument {
  readonly type: string;
  readonly status: number;
  readonly detail: string;
  readonly request_id: string;
  readonly reason?: string;
  readonly errors?: readonly { readonly path: string }[];
}

/** The problem of a response, once its status and media type have been seen to fit. */
export async function readProblem(response: Response): Promise<ProblemDocument> {
  const document: ProblemDocument = JSON.parse(await response.text());
  if (response.headers.get("content-type") !== "application/problem+json" || document.status !== response.status) {
    throw new Error(`not a problem: ${response.status} ${JSON.stringify(document)}`);
  }
  return document;
}

/** Status and slug in one word: what most tests compare. */
export const refusalOf = async (response: Response): Promise<string> => {
  const { status, type } = await readProblem(response);
  return `${status} ${type}`;
};
