/** The cost gate: what is reserved before a model call, what becomes of it, and how a turn without room for one ends. */
import { DatabaseSync } from "node:sqlite";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { ObserverRecord } from "../../../src/contracts/observer.ts";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import type { Charge, CostMeter } from "../../../src/contracts/ports.ts";
import { listClosedCharges, listOpenCharges } from "../../../src/storage/charge-store.ts";
import { migrate } from "../../../src/storage/migrations.ts";
import type { SqlPort } from "../../../src/storage/sql-port.ts";
import { readBudget } from "../../../src/storage/tenant/budget-store.ts";
import { commitSpend, releaseReservation, reserveBudget } from "../../../src/storage/tenant/reservation-store.ts";
import { tenantMigrations } from "../../../src/storage/tenant/tenant-schema.ts";
import { type CoreConversation, type CoreSetup, openConversation, runOnce } from "../../support/core-fixture.ts";
import { createNodeSqlPort } from "../../support/node-sql-port.ts";
import { calls, fault, finish, says, type ScriptedResponse, text } from "../../support/scripted-provider.ts";
import { noon } from "../../support/tenant-fixture.ts";
import { createTool } from "../../support/test-tools.ts";

type Answer = Awaited<ReturnType<CostMeter["reserve"]>>;

/** Answers in this order, and `granted` behind that. */
function scriptedMeter(...answers: readonly Answer[]) {
  const asked: Charge[] = [];
  const meter: CostMeter = {
    reserve: async (charge) => {
      asked.push(charge);
      return answers[asked.length - 1] ?? "granted";
    },
  };
  return { asked, meter };
}

const it = createTool("it", () => "done");
const again = calls({ name: "it" });

/** A turn under a meter, with what the observer was told of it. */
async function meterTurn(answers: readonly Answer[], script: readonly ScriptedResponse[], setup: CoreSetup = {}) {
  const records: ObserverRecord[] = [];
  const { asked, meter } = scriptedMeter(...answers);
  const ran = await runOnce(script, {
    tools: [it],
    risk: { level: "full" },
    ...setup,
    execution: { meter, observe: (record) => void records.push(record) },
  });
  const { sql, log, provider } = ran.conversation;
  return { ...ran, asked, sql, log, provider, requests: records.filter(({ type }) => type === "llm_request").length };
}

const endsOf = (sql: SqlPort) =>
  listClosedCharges(sql, 99)
    .map(({ end }) => end)
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));

describe("a budget without room", () => {
  test("[PV2][SE80] before the second call: nothing is announced, the turn is stopped and keeps its round", async () => {
    const ran = await meterTurn(["granted", "full"], [again]);
    expect(ran.summary).toMatchObject({ outcome: "stopped", reason: "cost_budget", text: "" });
    expect([ran.requests, ran.provider.requests.length]).toEqual([1, 1]);
    expect(ran.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool"]);
    expect(endsOf(ran.sql)).toEqual([{ costUsd: 0.0002 }]);
  });

  test("[LC30] before a closing summary: the same end, and no summary", async () => {
    const ran = await meterTurn(["granted", "full"], [again], { runtime: { max_tool_iterations: 1 } });
    expect(ran.summary).toMatchObject({ outcome: "stopped", reason: "cost_budget" });
    expect(ran.provider.requests).toHaveLength(1);
  });

  test("[LC30] before the plain retry of a stream that failed: no second request", async () => {
    const ran = await meterTurn(["granted", "full"], [[fault("cut")]]);
    expect(ran.summary).toMatchObject({ outcome: "stopped", reason: "cost_budget" });
    expect(ran.provider.requests).toHaveLength(1);
  });
});

describe("a meter that cannot be read", () => {
  test("[LC30][SE80] lets three calls in a row go, says so, and charges them; the fourth is not made", async () => {
    const ran = await meterTurn(
      Array.from({ length: 4 }, () => "unreachable" as const),
      [again, calls({ name: "it", args: { n: 2 } }), calls({ name: "it", args: { n: 3 } })],
    );
    expect(ran.summary).toMatchObject({ outcome: "stopped", reason: "cost_budget" });
    expect(ran.provider.requests).toHaveLength(3);
    expect(ran.log.filter(({ code }) => code === "meter_unreachable")).toHaveLength(4);
    expect(endsOf(ran.sql)).toHaveLength(3);
  });

  test("[LC30] an answer in between begins the count anew", async () => {
    const answers = ["unreachable", "unreachable", "unreachable", "granted", "unreachable"] as const;
    const rounds = [1, 2, 3, 4].map((n) => calls({ name: "it", args: { n } }));
    const ran = await meterTurn(answers, [...rounds, says("done")]);
    expect(ran.summary).toMatchObject({ outcome: "completed", text: "done" });
  });
});

describe("what is reserved", () => {
  test("[SE80] all the input and all the output that may come, at their prices, under an id of its own each time", async () => {
    const { asked, summary } = await meterTurn([], [again, says("done")]);
    expect(summary.outcome).toBe("completed");
    expect(new Set(asked.map(({ reservation }) => reservation)).size).toBe(2);
    expect(asked.map(({ reservation }) => reservation.split("/").slice(0, 2))).toEqual([
      ["trn_1", "1"],
      ["trn_1", "2"],
    ]);
    for (const { estimateUsd, agent } of asked) {
      expect(agent).toBe("ada");
      expect(estimateUsd).toBeGreaterThan(0.0002);
    }
    // The provider counted 100 tokens for less than that.
    expect(asked[1]?.estimateUsd).toBeGreaterThan(asked[0]?.estimateUsd ?? 0);
  });

  test("[SE80] nothing for a model that costs nothing, and nobody is asked", async () => {
    const { asked, meter } = scriptedMeter("full");
    const price = { input: 0, cachedInput: 0, output: 0 };
    const ran = await runOnce([says("done")], { price, execution: { meter } });
    expect([ran.summary.outcome, asked]).toEqual(["completed", []]);
  });
});

describe("what is charged", () => {
  const unknown = { inputTokens: 0, outputTokens: 0, cachedTokens: 0, reasoningTokens: 0, exact: false };

  test.each<readonly [string, readonly ScriptedResponse[], readonly unknown[]]>([
    [
      "[SE81] a count that leaves something out: in full",
      [[text("hi"), { ...finish(), usage: unknown } as ModelEvent]],
      ["unknown"],
    ],
    [
      "[PV15] an empty answer and the one behind it: both",
      [[finish()], says("ok")],
      [{ costUsd: 0.0002 }, { costUsd: 0.0002 }],
    ],
    ["[SE81] an answer that was cut off: in full", [[text("half"), fault("cut")]], ["unknown"]],
    [
      "[SE80] a refusal by the provider: nothing, twice",
      [[fault("refused")], [fault("refused")]],
      ["unsent", "unsent"],
    ],
    ["[SE80] a request that may not go out: nothing", [[fault("egress")]], ["unsent"]],
  ])("%s", async (_title, script, ends) => {
    const ran = await meterTurn([], script);
    expect(endsOf(ran.sql)).toEqual(ends);
    expect(listOpenCharges(ran.sql)).toEqual([]);
  });

  test("[LC30] a turn that is cancelled while the meter answers gives back what it got", async () => {
    const cancel = new AbortController();
    const meter: CostMeter = {
      reserve: async () => {
        cancel.abort();
        return "granted";
      },
    };
    const ran = await runOnce([], { execution: { meter }, cancel: cancel.signal });
    expect(ran.summary.outcome).toBe("cancelled");
    expect(endsOf(ran.conversation.sql)).toEqual(["unsent"]);
  });
});

/** A budget as the tenant's object keeps it, whose every charge comes to it in the end. */
function realBudget(limitUsd: number) {
  const sql = createNodeSqlPort(new DatabaseSync(":memory:"));
  migrate(sql, noon, tenantMigrations);
  const limits = { dailyLimitUsd: limitUsd, monthlyLimitUsd: limitUsd };
  const meter: CostMeter = {
    reserve: async (charge) => {
      const request = { ...charge, limits };
      return reserveBudget(sql, "c", { request, now: noon }).granted ? "granted" : "full";
    },
  };
  const hear = ({ sql: rows }: CoreConversation): void => {
    for (const { end, ...charge } of listClosedCharges(rows, 999)) {
      const spend = { ...charge, ...(typeof end === "string" ? {} : { costUsd: end.costUsd }) };
      if (end === "unsent") releaseReservation(sql, { conversation: "c", id: charge.reservation }, noon);
      else commitSpend(sql, "c", { spend, now: noon });
    }
  };
  return { meter, hear, standing: () => readBudget(sql, noon).today };
}

const anyResponse: fc.Arbitrary<readonly ModelEvent[]> = fc.oneof(
  fc.integer({ min: 1, max: 3 }).map((n) => calls({ name: "it", args: { n } })),
  fc.constantFrom(
    says("words"),
    [finish()],
    [text("cut")],
    [fault("refused")],
    [text("half"), fault("cut")],
    [fault("timeout")],
  ),
);

test("[HC13][G17] whatever is answered, and whenever it is cancelled, each reservation ends once and no limit is passed", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyResponse, { maxLength: 8 }),
      fc.integer({ min: 0, max: 10 }),
      fc.constantFrom(0.01, 0.2, 0.4, 5),
      async (script, cancelAt, limit) => {
        const { meter, hear, standing } = realBudget(limit);
        const cancel = new AbortController();
        let asked = 0;
        const counting: CostMeter = {
          reserve: (charge) => {
            asked += 1;
            if (asked === cancelAt) cancel.abort();
            return meter.reserve(charge);
          },
        };
        const conversation = openConversation({ tools: [it], risk: { level: "full" }, execution: { meter: counting } });
        const rest = Array.from({ length: 30 }, () => says("enough"));
        const turn = await conversation.run([...script, ...rest], { cancel: cancel.signal });
        expect(turn.summary.outcome).toBeDefined();
        expect(listOpenCharges(conversation.sql)).toEqual([]);
        hear(conversation);
        const { reservedUsd, heldUsd, committedUsd, releasedUsd } = standing();
        expect(heldUsd).toBe(0);
        expect(committedUsd + releasedUsd).toBeCloseTo(reservedUsd, 8);
        expect(committedUsd).toBeLessThanOrEqual(limit);
      },
    ),
    { numRuns: 100 },
  );
});
