/** Admission: who is asked before something is made, in which order, and what an answer that does not come means. */
import { expect, test } from "vitest";
import { Admission } from "../../durable-objects/admission.ts";
import type { Survey } from "../../durable-objects/conversation-entry.ts";
import type { TenantPort } from "../../durable-objects/tenant-port.ts";
import { failWith } from "../../src/contracts/result.ts";
import type { StartTurn } from "../../src/contracts/verbs.ts";
import { unreachable } from "../../src/http/reach-object.ts";
import { deploymentOf } from "../support/room-deployment.ts";
import { createScriptedProvider } from "../support/scripted-provider.ts";
import { useStillClock } from "../support/suspension-room.ts";
import { createTestTenant } from "../support/test-tenant.ts";

useStillClock();

const principal = { tenant: "dev", subject: "key:dev", channel: "http", scopes: [] };
const caller = { principal, conversation: "conversation-to-be", requestId: "r" };
const start: StartTurn = { request: { input: [], narrowing: {} }, fingerprint: "f" };
const madeNothing = { slug: "not-found", detail: "the test makes nothing" } as const;

/** An object without rows; `acted` counts how often it would have made some. */
function openRoom(tenant: TenantPort) {
  const { config } = deploymentOf({}, createScriptedProvider());
  const survey: Survey = { config };
  let acted = 0;
  const act = () => {
    acted += 1;
    return failWith(madeNothing);
  };
  const entry = { survey: () => survey, tenantOf: () => tenant, enterOrCreate: act, enterForTurn: act };
  return { admission: new Admission(entry), acted: () => acted };
}

test("[SE83][SE80] the tenant is asked with the turn that would be made, the limits, and the budget of its profile", async () => {
  const tenant = createTestTenant();
  const { admission } = openRoom(tenant);
  await admission.startTurn(caller, start);
  await admission.createConversation(caller, {});
  expect(tenant.heard).toMatchObject([
    [
      "admit",
      {
        agent: "ada",
        turn: "trn_1",
        limits: { maxRunningTurns: 100 },
        budget: { dailyLimitUsd: 10, monthlyLimitUsd: 100 },
      },
    ],
    ["admit", { agent: "ada", limits: { maxConversations: 1_000_000 } }],
  ]);
});

test("[SE83] what it refuses is refused, and nothing is made", async () => {
  const full = { slug: "quota-exceeded", detail: "full" } as const;
  const { admission, acted } = openRoom(createTestTenant({ admit: async () => failWith(full) }));
  expect(await admission.startTurn(caller, start)).toEqual(failWith(full));
  expect(acted()).toBe(0);
});

test("[DU46][DU42] without an answer a chosen id is not used, since it may have been deleted; a minted one is", async () => {
  const { admission, acted } = openRoom(createTestTenant({ admit: async () => failWith(unreachable) }));
  expect(await admission.startTurn(caller, start)).toEqual(failWith(unreachable));
  expect(acted()).toBe(0);
  await admission.createConversation(caller, {});
  expect(acted()).toBe(1);
});

test("[SE83] an agent that could not answer and a post that comes again ask nobody", async () => {
  const tenant = createTestTenant();
  const { admission, acted } = openRoom(tenant);
  await admission.startTurn(caller, { ...start, request: { ...start.request, agent: "nobody" } });
  await admission.startTurn(caller, { ...start, resumeAfter: 3 });
  expect([tenant.heard, acted()]).toEqual([[], 2]);
});

test("[SE83] posts come one behind the other, so that each asks for the turn that it makes", async () => {
  const order: string[] = [];
  let answer = (): void => undefined;
  const tenant = createTestTenant({
    admit: async () => {
      order.push("asked");
      await new Promise<void>((resolve) => (answer = resolve));
      order.push("answered");
      return failWith({ slug: "quota-exceeded", detail: "full" });
    },
  });
  const { admission } = openRoom(tenant);
  const both = [admission.startTurn(caller, start), admission.startTurn(caller, start)];
  for (const post of both) {
    await new Promise((resolve) => setImmediate(resolve));
    answer();
    await post;
  }
  expect(order).toEqual(["asked", "answered", "asked", "answered"]);
});
