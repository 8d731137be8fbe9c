/** What a conversation tells its tenant: everything, in order, once it is durable, until it was heard, and no turn waits for it. */
import { describe, expect, test, vi } from "vitest";
import { unreachable } from "../../src/http/reach-object.ts";
import { failWith, succeed } from "../../src/contracts/result.ts";
import { findNextDeadline } from "../../src/storage/deadline-store.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, type SuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createTestTenant, type TestTenant } from "../support/test-tenant.ts";
import { createTool } from "../support/test-tools.ts";

useStillClock();

const minute = 60_000;
const hour = 60 * minute;
const asks = { tools: [createTool("asks")] };
const priced = { model: { input_usd_per_mtok: 1, output_usd_per_mtok: 10 } };
const ask = calls({ name: "asks", args: { n: 1 } });

/** All facts in the order in which the tenant heard them. */
const factsOf = ({ heard }: TestTenant) => heard.flatMap((said) => (said[0] === "project" ? said[1] : []));
const wordsOf = (tenant: TestTenant): readonly string[] =>
  factsOf(tenant).map((fact) => {
    if (fact.kind === "turn") return `${fact.turn} ${fact.state}`;
    return fact.kind === "approval_closed" ? `${fact.kind} ${fact.state}` : fact.kind;
  });
const verbsOf = ({ heard }: TestTenant): readonly string[] => heard.map(([verb]) => verb);

/** Rings whenever the alarm is due, so often at most; the seconds between the rings. */
async function ringOn(room: SuspensionRoom, most = 20): Promise<readonly number[]> {
  const gaps: number[] = [];
  for (let at = room.alarmAt(); at !== undefined && gaps.length < most; at = room.alarmAt()) {
    gaps.push((at - Date.now()) / 1000);
    room.pass(at - Date.now());
    await room.alarm();
    await room.rest();
  }
  return gaps;
}

describe("facts", () => {
  test("[DU42] a turn that waits for a person is told of from its acceptance to its end, in order", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom(asks, tenant);
    await room.run([ask, says("done")]);
    const opened = factsOf(tenant).find((fact) => fact.kind === "approval_opened");
    expect(opened).toMatchObject({ approval: { n: 1, tool: "asks", state: "pending", agent: "ada" } });
    room.decide({ decision: "approve" });
    await room.rest();
    expect(wordsOf(tenant)).toEqual([
      "trn_1 queued",
      "trn_1 running",
      "usage",
      "approval_opened",
      "trn_1 suspended",
      "approval_closed decided",
      "trn_1 running",
      "usage",
      "trn_1 ended",
    ]);
    const seqs = factsOf(tenant).map(({ seq }) => seq);
    expect(seqs).toEqual(seqs.toSorted((one, other) => one - other));
    const tokens = { inputTokens: 100, outputTokens: 10, cachedTokens: 0, reasoningTokens: 0 };
    expect(factsOf(tenant)).toContainEqual(expect.objectContaining({ kind: "usage", agent: "ada", tokens }));
  });

  test("[DU42] of an approval that was decided before the tenant heard of it, it hears the end alone", async () => {
    let reachable = false;
    const tenant = createTestTenant({ project: async () => (reachable ? succeed(null) : failWith(unreachable)) });
    const room = openSuspensionRoom(asks, tenant);
    await room.run([ask, says("done")]);
    room.decide({ decision: "deny" });
    await room.rest();
    reachable = true;
    const before = factsOf(tenant).length;
    await ringOn(room);
    expect(wordsOf(tenant).slice(before)).not.toContain("approval_opened");
    expect(wordsOf(tenant).at(-1)).toBe("trn_1 ended");
  });

  test("[DU42] nothing is told before it is durable", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom({}, tenant);
    room.provider.script(says("done"));
    room.post();
    expect(tenant.heard).toEqual([]);
    await room.rest();
    expect(wordsOf(tenant).at(-1)).toBe("trn_1 ended");
  });

  test("[DU45] what has been heard is not said again, and an idle object waits for nothing", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom({}, tenant);
    await room.run([says("one")]);
    expect([findNextDeadline(room.sql), room.alarmAt()]).toEqual([undefined, undefined]);
    room.evict();
    await room.run([says("two")]);
    const seqs = factsOf(tenant).map(({ seq }) => seq);
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(room.alarmAt()).toBeUndefined();
  });
});

describe("a tenant that does not hear", () => {
  test.each(["answers that it cannot be reached", "throws"])("[DU42] %s: the turn ends all the same", async (how) => {
    const project = how === "throws" ? () => Promise.reject(new Error("a bug")) : async () => failWith(unreachable);
    const room = openSuspensionRoom({}, createTestTenant({ project }));
    expect(await room.run([says("done")])).toMatchObject({ state: "completed", text: "done" });
    expect(room.alarmAt()).toBe(Date.now() + 5000);
  });

  test("[DU42] is told again after 5 s, 30 s, 2 min, 10 min, 1 h, 6 h, 24 h, then when there is more to tell", async () => {
    let reachable = false;
    const tenant = createTestTenant({ project: async () => (reachable ? succeed(null) : failWith(unreachable)) });
    const room = openSuspensionRoom({}, tenant);
    await room.run([says("one")]);
    const started = Date.now();
    expect(await ringOn(room)).toEqual([5, 30, 120, 600, 3600, 6 * 3600, 24 * 3600]);
    expect(Date.now() - started).toBeGreaterThan(31 * hour);
    expect(vi.mocked(console.error)).not.toHaveBeenCalled();
    reachable = true;
    const before = factsOf(tenant).length;
    await room.run([says("two")]);
    expect(wordsOf(tenant).slice(before)).toEqual([]);
    await ringOn(room);
    expect(wordsOf(tenant).slice(before)).toEqual([
      "trn_1 queued",
      "trn_1 running",
      "usage",
      "trn_1 ended",
      "trn_2 queued",
      "trn_2 running",
      "usage",
      "trn_2 ended",
    ]);
    expect(room.alarmAt()).toBeUndefined();
  });

  test("[DU42] an instance that dies before it was heard leaves that to the next one", async () => {
    let reachable = false;
    const tenant = createTestTenant({ project: async () => (reachable ? succeed(null) : failWith(unreachable)) });
    const room = openSuspensionRoom({}, tenant);
    await room.run([says("one")]);
    room.evict();
    reachable = true;
    await ringOn(room);
    expect(wordsOf(tenant).at(-1)).toBe("trn_1 ended");
    expect(findNextDeadline(room.sql)).toBeUndefined();
  });
});

describe("charges", () => {
  test("[SE80][HC13] each model call of a priced model is reserved before it and charged once behind it", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom({ ...asks, ...priced, risk: { level: "full" } }, tenant);
    await room.run([ask, says("done")]);
    const reserved = tenant.heard.flatMap((said) => (said[0] === "reserve" ? [said[1].reservation] : []));
    const charged = tenant.heard.flatMap((said) => (said[0] === "commit" ? [said[1]] : []));
    expect(reserved).toHaveLength(2);
    expect(charged.map(({ reservation }) => reservation).toSorted()).toEqual(reserved.toSorted());
    expect(charged).toMatchObject([{ agent: "ada", costUsd: 0.0002 }, { costUsd: 0.0002 }]);
    expect(room.sql.all("SELECT * FROM charges")).toEqual([]);
    expect(room.alarmAt()).toBeUndefined();
  });

  test("[SE80][LC29] what counts is the model in use: a free one that is switched for a dear one is metered from then on", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom(
      {
        provider: { models: { "script-1": {}, large: { input_usd_per_mtok: 1, output_usd_per_mtok: 10 } } },
        agent: { builtin_tools: ["model_switch"], switchable_models: ["scripted/large"] },
        risk: { level: "full" },
      },
      tenant,
    );
    await room.run([calls({ name: "model_switch", args: { action: "set", model: "scripted/large" } }), says("done")]);
    expect(verbsOf(tenant).filter((verb) => verb === "reserve" || verb === "commit")).toEqual(["reserve", "commit"]);
    expect(tenant.heard.flatMap((said) => (said[0] === "commit" ? [said[1].costUsd] : []))).toEqual([0.0002]);
  });

  test("[SE80] a model without prices asks nobody", async () => {
    const tenant = createTestTenant();
    await openSuspensionRoom({}, tenant).run([says("done")]);
    expect(new Set(verbsOf(tenant))).toEqual(new Set(["project"]));
  });

  test("[LC30][SE80] a call that went ahead without an answer is charged as soon as there is one", async () => {
    let reachable = false;
    const answer = async () => (reachable ? succeed(null) : failWith(unreachable));
    const tenant = createTestTenant({ reserve: async () => failWith(unreachable), commit: answer, project: answer });
    const room = openSuspensionRoom(priced, tenant);
    expect(await room.run([says("done")])).toMatchObject({ state: "completed" });
    reachable = true;
    await ringOn(room);
    expect(tenant.heard.filter(([verb]) => verb === "commit")).toHaveLength(1);
    expect(room.sql.all("SELECT * FROM charges")).toEqual([]);
  });

  test("[DU42] the heartbeat renews what is reserved for a call that is being made", async () => {
    const tenant = createTestTenant();
    const room = openSuspensionRoom(priced, tenant);
    let end = (): void => undefined;
    room.provider.script(async function* () {
      await new Promise<void>((resolve) => (end = resolve));
      yield* says("done");
    });
    room.post();
    await vi.waitFor(() => expect(room.sql.all("SELECT 1 FROM charges")).toHaveLength(1));
    room.pass(30_000);
    await room.alarm();
    expect(verbsOf(tenant)).toContain("renew");
    end();
    await room.rest();
    expect(room.turn().state).toBe("completed");
  });

  test("[LC30][G17] a delegate without room fails, and its caller stops with it", async () => {
    const full = { slug: "quota-exceeded", detail: "full" } as const;
    let asked = 0;
    const tenant = createTestTenant({
      reserve: async () => ((asked += 1) === 2 ? failWith(full) : succeed({ state: "held" as const })),
    });
    const room = openSuspensionRoom(
      {
        ...priced,
        agents: { bea: { model: null } },
        agent: { delegates: ["bea"] },
        risk: { level: "full", delegation_policy: { mode: "allow" } },
      },
      tenant,
    );
    const turn = await room.run([calls({ name: "delegate", args: { agent: "bea", prompt: "do it" } })]);
    expect(turn).toMatchObject({ state: "stopped", reason: "cost_budget" });
    expect(asked).toBe(2);
    expect(turn.events.find(({ type }) => type === "tool_result")).toMatchObject({ disposition: "failed" });
  });
});
