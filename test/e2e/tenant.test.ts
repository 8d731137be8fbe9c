/** A tenant over HTTP: what its conversations tell it, what it lets in, what it lets them spend. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { ApiClient } from "../support/api-client.ts";
import { type LifecycleRoom, onlyApprovalOf, openConversation, openLifecycleRoom } from "../support/lifecycle-room.ts";
import { askCalls } from "../support/obedient-model.ts";

interface Listed {
  readonly conversations: readonly { readonly conversation: string; readonly status: string; readonly agent: string }[];
}
interface Inbox {
  readonly approvals: readonly { readonly approval_id: string; readonly conversation: string }[];
}
interface Usage {
  readonly usage: readonly {
    readonly agent: string;
    readonly turns: number;
    readonly input_tokens: number;
    readonly cost_usd: number;
  }[];
  readonly budget: { readonly today: Readonly<Record<string, number>> };
}
const readJson = async <Body>(client: ApiClient, path: string): Promise<Body> => await (await client.get(path)).json();

const prices = { models: { m: { input_usd_per_mtok: 1, output_usd_per_mtok: 10, max_output_tokens: 1000 } } };

describe("what conversations tell", () => {
  let room: LifecycleRoom;
  beforeAll(async () => {
    room = await openLifecycleRoom({ provider: prices });
  });
  afterAll(() => room.close());

  test("[DU42][HC13] list, inbox and usage follow a turn that waits for a person, over a killed server", async () => {
    const client = room.client();
    const talk = openConversation(client, "told");
    const statusOf = async (api: ApiClient): Promise<string | undefined> =>
      (await readJson<Listed>(api, "/v1/conversations")).conversations.find(
        ({ conversation }) => conversation === talk.id,
      )?.status;
    const inbox = async (api: ApiClient): Promise<readonly string[]> =>
      (await readJson<Inbox>(api, "/v1/approvals")).approvals.map(({ approval_id: id }) => id);

    const turn = await talk.turn(askCalls(room.errand("record", "one")));
    const approval = onlyApprovalOf(turn);
    await expect.poll(() => inbox(client)).toEqual([approval]);
    await expect.poll(() => statusOf(client)).toBe("suspended");

    await room.killAndRestart();
    const later = room.client();
    expect(await inbox(later)).toEqual([approval]);
    const again = openConversation(later, "told", talk.id);
    expect((await again.decide(approval, { decision: "approve" })).status).toBe(200);
    await again.end(turn.body.turn);
    await expect.poll(() => inbox(later)).toEqual([]);
    await expect.poll(() => statusOf(later)).toBe("idle");

    const usage = () => readJson<Usage>(later, "/v1/usage");
    await expect.poll(async () => (await usage()).budget.today["held_usd"]).toBe(0);
    const { usage: lines, budget } = await usage();
    expect(lines).toMatchObject([{ agent: "model", turns: 1 }]);
    expect(lines[0]?.input_tokens).toBeGreaterThan(0);
    expect(lines[0]?.cost_usd).toBeGreaterThan(0);
    const { reserved_usd: reserved = 0, committed_usd: committed = 0, released_usd: released = 0 } = budget.today;
    expect(committed + released).toBeCloseTo(reserved, 8);
    expect(committed).toBeCloseTo(lines[0]?.cost_usd ?? 0, 8);
  });

  test("[DU46] a deleted id takes no further turn", async () => {
    const client = room.client();
    const talk = openConversation(client, "deleted");
    await talk.turn("hello");
    const remove = { method: "DELETE", headers: { authorization: client.authorization } };
    expect((await fetch(`${client.url}${talk.path}`, remove)).status).toBe(202);
    await expect.poll(async () => (await talk.turn("again")).status).toBe(410);
    const listed = await readJson<Listed>(client, "/v1/conversations");
    expect(listed.conversations.map(({ conversation }) => conversation)).not.toContain(talk.id);
  });
});

describe("what is let in", () => {
  test("[SE83] a turn over the quota is 429 with its policy and when to come back, and leaves nothing", async () => {
    const room = await openLifecycleRoom({ limits: { tenant: { max_conversations: 1 } } });
    const client = room.client();
    expect((await openConversation(client, "first").turn("hello")).status).toBe(200);
    const second = openConversation(client, "second");
    const refused = await client.post(`${second.path}/turns`, { input: "hello" });
    expect([refused.status, refused.headers.has("retry-after")]).toEqual([429, true]);
    expect(await refused.json()).toMatchObject({
      type: "/problems/quota-exceeded",
      "violated-policies": ["conversations"],
    });
    expect((await client.get(second.path)).status).toBe(404);
    await room.close();
  });

  test("[SE80][PV2] a budget without room stops the turn before its model is asked", async () => {
    const cost = { daily_limit_usd: 0.002 };
    const room = await openLifecycleRoom({ provider: prices, runtime_profiles: { default: { cost } } });
    const client = room.client();
    const talk = openConversation(client, "costly");
    const stopped = await talk.turn("hello");
    expect(stopped.body).toMatchObject({ state: "stopped", outcome: "stopped" });
    expect(room.model.requests).toEqual([]);
    await room.close();
  });
});
