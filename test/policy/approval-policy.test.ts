/** The approval table: the first line that holds decides. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  type ApprovalFacts,
  type ApprovalQuestion,
  judgeApproval,
  ruleApproval,
} from "../../src/policy/approval-policy.ts";

const facts = (changes: Partial<ApprovalFacts> = {}): ApprovalFacts => ({
  level: "supervised",
  alwaysAsk: [],
  autoApprove: [],
  tool: "mailer",
  predicate: "unasked",
  ...changes,
});

type Predicate = NonNullable<ApprovalQuestion["tool"]["needsApproval"]>;

/** Asks with a predicate that counts its calls; `elapse` ends its time. */
async function judgeWith(predicate: Predicate | undefined, rules: Partial<ApprovalFacts> = {}) {
  const seen = { asked: 0, timers: 0, stopped: 0, elapse: (): void => undefined };
  const needsApproval: Predicate | undefined =
    predicate &&
    ((args) => {
      seen.asked += 1;
      return predicate(args);
    });
  const definition = { name: "mailer", description: "Sends mail.", inputSchema: { type: "object" } };
  const ruling = judgeApproval({
    tool: needsApproval === undefined ? { definition } : { definition, needsApproval },
    args: { to: "a@example.com" },
    rules: facts(rules),
    startTimer: (ms, act) => {
      seen.timers += 1;
      seen.elapse = act;
      expect(ms).toBe(10_000);
      return () => {
        seen.stopped += 1;
      };
    },
  });
  await Promise.resolve();
  return { ruling, seen };
}

describe("the table", () => {
  const all: readonly [string, Partial<ApprovalFacts>, string, number][] = [
    ["full beats always_ask", { level: "full", alwaysAsk: ["*"], predicate: "asks" }, "approved", 1],
    ["read_only needs nobody", { level: "read_only", alwaysAsk: ["*"] }, "not_required", 2],
    ["always_ask beats auto_approve", { alwaysAsk: ["mail*"], autoApprove: ["mailer"] }, "prompt", 3],
    ["always_ask beats always", { alwaysAsk: ["mailer"], remembered: () => true }, "prompt", 3],
    ["the predicate beats auto_approve", { predicate: "asks", autoApprove: ["*"] }, "prompt", 4],
    ["a failing predicate beats always", { predicate: "failed", remembered: () => true }, "prompt", 4],
    ["auto_approve", { autoApprove: ["mail*"] }, "approved", 5],
    ["auto_approve with a declining predicate", { autoApprove: ["*"], predicate: "declined" }, "approved", 5],
    ["always", { remembered: () => true }, "approved", 6],
    ["an unlisted tool", {}, "prompt", 7],
    ["a declining predicate decides nothing", { predicate: "declined" }, "prompt", 7],
    ["a pattern that matches another tool", { autoApprove: ["mail__*"] }, "prompt", 7],
    ["lists are case-sensitive", { autoApprove: ["Mailer"] }, "prompt", 7],
  ];
  test.each(all)("[AP1] %s", (...[, changes, requirement, line]) => {
    expect(ruleApproval(facts(changes))).toEqual({ requirement, line });
  });

  test("[AP2] a predicate never takes a prompt away", () => {
    const names = fc.subarray(["mailer", "*", "other"]);
    const anyFacts: fc.Arbitrary<ApprovalFacts> = fc.record({
      level: fc.constantFrom("full" as const, "supervised" as const, "read_only" as const),
      alwaysAsk: names,
      autoApprove: names,
      remembered: fc.constantFrom(
        () => true,
        () => false,
      ),
      tool: fc.constant("mailer"),
      predicate: fc.constantFrom("declined" as const, "asks" as const, "failed" as const),
    });
    fc.assert(
      fc.property(anyFacts, (given) => {
        const without = ruleApproval({ ...given, predicate: "unasked" }).requirement;
        const ruled = ruleApproval(given).requirement;
        expect([without, "prompt"]).toContain(ruled);
        expect(given.predicate === "declined" ? ruled : without).toBe(without);
      }),
    );
  });
});

describe("asking the predicate", () => {
  test.each([
    [false, "approved", 5],
    [true, "prompt", 4],
    [Promise.resolve(false), "approved", 5],
    [Promise.resolve(true), "prompt", 4],
  ])("[AP2] answer %j of an auto-approved tool: %s", async (answer, requirement, line) => {
    const { ruling, seen } = await judgeWith(() => answer, { autoApprove: ["*"] });
    expect(await ruling).toEqual({ requirement, line });
    expect(seen).toMatchObject({ asked: 1, timers: 1, stopped: 1 });
  });

  const failing: readonly [string, () => unknown][] = [
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["gives undefined", () => undefined],
    ["gives an empty string", () => ""],
    ["gives zero later", () => Promise.resolve(0)],
  ];
  test.each(failing)("[SE29] one that %s is never approved", async (_, predicate) => {
    const { ruling } = await judgeWith(predicate as Predicate, { autoApprove: ["*"], remembered: () => true });
    expect(await ruling).toEqual({ requirement: "prompt", line: 4 });
  });

  test("[SE29] one that takes too long is never approved, whatever it says later", async () => {
    const late: ((answer: boolean) => void)[] = [];
    const { ruling, seen } = await judgeWith(() => new Promise((resolve) => late.push(resolve)), {
      autoApprove: ["*"],
    });
    seen.elapse();
    expect(late).toHaveLength(1);
    for (const answer of late) answer(false);
    expect(await ruling).toEqual({ requirement: "prompt", line: 4 });
  });

  test.each([
    [{ level: "full" as const }, 1],
    [{ level: "read_only" as const }, 2],
    [{ alwaysAsk: ["*"] }, 3],
  ])("[AP2] it is not asked where it cannot matter: %j", async (rules, line) => {
    const { ruling, seen } = await judgeWith(() => true, rules);
    expect((await ruling).line).toBe(line);
    expect(seen).toMatchObject({ asked: 0, timers: 0 });
  });

  test.each<[string, Partial<ApprovalFacts>, Predicate | undefined, number, number]>([
    ["nothing else decides", {}, undefined, 1, 6],
    ["the predicate declined", {}, () => false, 1, 6],
    ["the predicate asks", {}, () => true, 0, 4],
    ["the tool is approved anyhow", { autoApprove: ["*"] }, () => false, 0, 5],
    ["it is always asked about", { alwaysAsk: ["*"] }, () => false, 0, 3],
    ["nothing is asked about", { level: "full" }, () => false, 0, 1],
  ])("[AP14] an earlier always is looked up at most once: %s", async (...[, rules, predicate, looks, line]) => {
    let looked = 0;
    const remembered = (): boolean => {
      looked += 1;
      return true;
    };
    const { ruling } = await judgeWith(predicate, { ...rules, remembered });
    expect((await ruling).line).toBe(line);
    expect(looked).toBe(looks);
  });

  test("[AP2] a tool without one goes by the lists", async () => {
    expect(await (await judgeWith(undefined)).ruling).toEqual({ requirement: "prompt", line: 7 });
  });
});
