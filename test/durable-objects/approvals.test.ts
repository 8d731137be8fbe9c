/** Approvals over the real object: who is asked, what a decision does, once, and what the model hears of it. */
import { describe, expect, test } from "vitest";
import type { DecisionInput } from "../../src/contracts/approval.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { createNoting, createTool } from "../support/test-tools.ts";

useStillClock();

const approve: DecisionInput = { decision: "approve" };
const always: DecisionInput = { decision: "always" };
const deny: DecisionInput = { decision: "deny" };
const minute = 60_000;
const pathOf = (failed: unknown) => (failed as { failure?: { slug: string } }).failure?.slug;

describe("who is asked", () => {
  test.each([
    ["an unlisted tool", {}, true],
    ["one that `auto_approve` matches", { auto_approve: ["gh__*"] }, false],
    ["one whose name only begins like the pattern", { auto_approve: ["gh___*"] }, true],
    ["one in `always_ask` and `auto_approve`", { auto_approve: ["*"], always_ask: ["gh__list"] }, true],
    ["any at level full, whatever `always_ask` says", { level: "full", always_ask: ["*"] }, false],
  ] as const)("[AP1] %s", async (...[_which, risk, asks]) => {
    const gh = createNoting("gh__list");
    const room = openSuspensionRoom({ tools: [gh.tool], risk: { ...risk } });
    const turn = await room.run([calls({ name: "gh__list" }), says("ok")]);
    expect([turn.state, room.asked().length, gh.ran.length]).toEqual(asks ? ["suspended", 1, 0] : ["completed", 0, 1]);
  });

  test("[AP1] at level read_only what changes nothing runs unasked, and the rest does not exist", async () => {
    const reads = createNoting("reads", { readOnly: true });
    const writes = createNoting("writes");
    const risk = { level: "read_only", always_ask: ["*"] } as const;
    const room = openSuspensionRoom({ tools: [reads.tool, writes.tool], risk });
    const turn = await room.run([calls({ name: "reads" }, { name: "writes" }), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["not_available", "succeeded"]);
    expect(room.provider.requests[0]?.tools.map(({ tool }) => tool)).not.toContain("writes");
  });

  test.each([
    ["says no on an unlisted tool", (): boolean => false, {}, true],
    ["says yes on an auto-approved one", (): boolean => true, { auto_approve: ["*"] }, true],
    ["says no on an auto-approved one", (): boolean => false, { auto_approve: ["*"] }, false],
    ["throws", (): Promise<boolean> => Promise.reject(new Error("no")), { auto_approve: ["*"] }, true],
  ] as const)("[AP2] a predicate that %s", async (...[_what, needsApproval, risk, asks]) => {
    const room = openSuspensionRoom({ tools: [createTool("it", undefined, { needsApproval })], risk: { ...risk } });
    await room.run([calls({ name: "it" }), says("ok")]);
    expect(room.asked()).toHaveLength(asks ? 1 : 0);
  });

  test("[AP2][CK5] a predicate sees arguments that fit the schema, once, and is not asked again after the wait", async () => {
    const seen: unknown[] = [];
    const needsApproval = (args: object) => seen.push(args) > 0;
    const input = { type: "object", properties: { n: { type: "integer" } } };
    const room = openSuspensionRoom({ tools: [createTool("it", undefined, { needsApproval, input })] });
    await room.run([calls({ name: "it", args: { n: "x" } }, { name: "it", args: { n: 1 } }), says("ok")]);
    room.evict();
    room.decide(approve);
    await room.rest();
    expect([seen, room.turn().state]).toEqual([[{ n: 1 }], "completed"]);
  });

  test("[AP3][AP18] all prompts of a batch are opened together, in call order, and nothing of it runs before the last is decided", async () => {
    const free = createNoting("free");
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [free.tool, shell.tool], risk: { auto_approve: ["free"] } });
    const batch = [1, 2, 3].flatMap((n) => [
      { name: "free", args: { n } },
      { name: "shell", args: { n } },
    ]);
    await room.run([calls(...batch), says("ok")]);
    expect(room.asked()).toEqual(["apr_call_trn_1_2", "apr_call_trn_1_4", "apr_call_trn_1_6"]);
    for (const approval of ["apr_call_trn_1_6", "apr_call_trn_1_2"]) {
      expect(room.decide(approve, approval).ok).toBe(true);
      await room.rest();
      expect([room.turn().state, free.ran, shell.ran]).toEqual(["suspended", [], []]);
      expect(room.turn().events.at(-1)).toMatchObject({ type: "approval_decided", approval_id: approval });
    }
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, free.ran.length, shell.ran.length]).toEqual(["completed", 3, 3]);
  });

  test("[AP4] a request says what is asked of whom: tool, risk, summary, deadline, what it is bound to", async () => {
    const shell = createTool("shell", undefined, { risk: "high" });
    const room = openSuspensionRoom({ tools: [shell], risk: { approval_timeout_secs: 30 } });
    const args = { token: "abcdefghij", command: "ls", path: "/tmp" };
    const turn = await room.run([calls({ name: "shell", args }), says("ok")]);
    const request = {
      approvalId: "apr_call_trn_1_1",
      callId: "call_trn_1_1",
      turn: "trn_1",
      agent: "ada",
      tool: "shell",
      toolOrigin: "code",
      risk: "high",
      definitionHash: shell.definitionHash,
      summary: "path: /tmp, command: ls, token: [REDACTED]",
      expiresAt: Date.now() + 30_000,
      channel: "http",
      state: "pending",
    };
    expect(turn.open.approvals).toMatchObject([request]);
    expect(turn.open.approvals[0]?.argsDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(eventsOf(turn, "approval_requested")).toMatchObject([
      { tool: "shell", risk: "high", arguments_summary: request.summary, approval_id: request.approvalId },
    ]);
  });

  test("[AP17] a summary in a request: `path` first, secrets gone, 200 emoji cut at 80 whole ones", async () => {
    const room = openSuspensionRoom({ tools: [createTool("it")] });
    const args = { z: "😀".repeat(200), nested: { token: "abcdefghij" }, path: "a" };
    const turn = await room.run([calls({ name: "it", args }), says("ok")]);
    const [{ summary } = { summary: "" }] = turn.open.approvals;
    expect(summary).toBe(`path: a, nested: {"token":"[REDACTED]"}, z: ${"😀".repeat(80)}…`);
  });
});

describe("what a decision does", () => {
  /** One call that prompts and a word after it. */
  const openAsked = async (setup: RoomSetup = {}) => {
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [shell.tool], ...setup });
    await room.run([calls({ name: "shell", args: { command: "pwd" } }), says("ok")]);
    return { room, shell };
  };

  test.each([
    ["approve", { decision: "approve" }, "succeeded", 1, true],
    ["always", { decision: "always" }, "succeeded", 1, true],
    ["deny", { decision: "deny" }, "denied", 0, false],
    ["replace", { decision: "replace", replacement: "42" }, "replaced", 0, true],
  ] as const)("[AP6][AP8] %s, by a person", async (...[_name, decision, disposition, ran, success]) => {
    const { room, shell } = await openAsked();
    expect(room.decide(decision, undefined, { subject: "key:eve" }).ok).toBe(true);
    await room.rest();
    const turn = room.turn();
    expect([turn.state, shell.ran.length]).toEqual(["completed", ran]);
    expect(eventsOf(turn, "tool_result")).toMatchObject([{ disposition, success }]);
    expect(eventsOf(turn, "approval_decided")).toMatchObject([
      { decision: decision.decision, provenance: "operator", decided_by: "key:eve" },
    ]);
    expect(turn.events.at(-1)).toMatchObject({ receipts: disposition === "succeeded" ? [{ tool: "shell" }] : [] });
  });

  test("[AP6][SE22] the first stands: the same again changes nothing, another is told which stands", async () => {
    const { room, shell } = await openAsked();
    const [approval = ""] = room.asked();
    expect(room.decide(deny, approval).ok).toBe(true);
    await room.rest();
    const before = room.turn();
    expect(room.decide(deny, approval).ok).toBe(true);
    expect(room.decide(approve, approval)).toMatchObject({
      ok: false,
      failure: { slug: "approval-decided", members: { decision: "deny" } },
    });
    await room.rest();
    expect([room.turn(), shell.ran]).toEqual([before, []]);
  });

  test.each([
    ["at the deadline", 0, "approval-expired"],
    ["a millisecond before it", -1, undefined],
  ])("[AP6][AP12] a decision that comes %s", async (_when, late, slug) => {
    const { room } = await openAsked();
    room.pass(2 * minute + late);
    expect(pathOf(room.decide(approve))).toBe(slug);
  });

  test("[AP7] the row says who decided, from which channel, when, and on whose word", async () => {
    const { room } = await openAsked();
    room.pass(5000);
    const note = "Not\u0007 today.";
    const by = { subject: "key:eve", channel: "phone" };
    const decided = { decision: "deny", note: "Not today.", provenance: "operator", channel: "phone" };
    expect(room.decide({ ...deny, note }, undefined, by)).toMatchObject({
      value: { state: "decided", decided: { ...decided, decidedBy: "key:eve", decidedAt: Date.now() } },
    });
  });

  test("[AP12][AP8][CK11] an alarm a minute late; a decision a second after the deadline: it has expired, by nobody", async () => {
    const { room, shell } = await openAsked();
    const deadline = Date.now() + 2 * minute;
    expect(room.alarmAt()).toBe(deadline);
    room.pass(2 * minute + 1000);
    expect(pathOf(room.decide(approve))).toBe("approval-expired");
    room.pass(minute);
    await room.alarm();
    await room.rest();
    const turn = room.turn();
    expect([turn.state, dispositionsOf(turn), shell.ran]).toEqual(["completed", ["expired"], []]);
    expect(eventsOf(turn, "approval_decided")).toMatchObject([{ decision: null, provenance: "expired" }]);
    expect(eventsOf(turn, "approval_decided")[0]).not.toHaveProperty("decided_by");
  });

  test("[AP12] an alarm that rings before its time, or twice, ends nothing", async () => {
    const { room } = await openAsked();
    room.pass(2 * minute - 1);
    await room.alarm();
    await room.rest();
    expect(room.turn().state).toBe("suspended");
    room.pass(1);
    await room.alarm();
    await room.alarm();
    await room.rest();
    expect([dispositionsOf(room.turn()), room.alarmAt()]).toEqual([["expired"], undefined]);
  });

  test("[AP15] a replacement loses its controls, is cut to 65536 bytes, and counts as a success that did not run", async () => {
    const { room, shell } = await openAsked({ runtime: { max_tool_result_chars: 0 } });
    room.decide({ decision: "replace", replacement: `a\u0007\u001b\t\n${"😀".repeat(17_500)}` });
    await room.rest();
    const [result = ""] = resultsOf(room.turn());
    const supplied = result.slice(result.indexOf("a\t\n"));
    expect(new TextEncoder().encode(supplied).length).toBe(65_535);
    expect(supplied.isWellFormed()).toBe(true);
    expect(result).toMatch(/operator supplied.*not run/);
    expect([eventsOf(room.turn(), "tool_result")[0]?.receipt, shell.ran]).toEqual([undefined, []]);
  });

  test("[AP15][BD1] a replacement is bounded like any result", async () => {
    const { room } = await openAsked({ runtime: { max_tool_result_chars: 200 } });
    room.decide({ decision: "replace", replacement: "x".repeat(1000) });
    await room.rest();
    expect(eventsOf(room.turn(), "tool_result")).toMatchObject([{ truncated: true, chars: 1000 }]);
  });

  test.each([
    ["a person says no", true],
    ["nobody answers", false],
  ])("[AP16] %s: only a person's no speaks of one, and none names a setting", async (_how, byPerson) => {
    const { room } = await openAsked();
    if (byPerson) room.decide({ ...deny, note: "too risky" });
    else room.pass(2 * minute);
    await room.alarm();
    await room.rest();
    const [sentence = ""] = resultsOf(room.turn());
    expect(sentence.includes("No person decided")).toBe(!byPerson);
    expect(sentence.includes("A person decided")).toBe(byPerson);
    expect(sentence.includes("too risky")).toBe(byPerson);
    expect(sentence).not.toMatch(/always_ask|auto_approve|level|profile|config|timeout/i);
  });
});

describe("always", () => {
  const ask = (...ns: readonly number[]) => calls(...ns.map((n) => ({ name: "shell", args: { n } })));

  test("[AP14] on one of two open requests: both run, and the next batch and the next turn ask nobody", async () => {
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [shell.tool] });
    await room.run([ask(1, 2), ask(3), says("ok")]);
    room.decide(always, room.asked()[1]);
    await room.rest();
    expect([room.turn().state, shell.ran.length]).toEqual(["completed", 3]);
    expect(eventsOf(room.turn(), "approval_decided").map(({ decision }) => decision)).toEqual(["always", "always"]);
    room.evict();
    const next = await room.run([ask(4), says("ok")]);
    expect([next.state, shell.ran.length]).toEqual(["completed", 4]);
  });

  test("[AP1][AP14] it never answers for a tool that is always to be asked about, nor for another tool", async () => {
    const tools = ["shell", "listed", "judged"].map((name) =>
      createTool(name, undefined, name === "judged" ? { needsApproval: () => true } : {}),
    );
    const room = openSuspensionRoom({ tools, risk: { always_ask: ["listed"] } });
    const batch = (n: number) => calls(...tools.map(({ definition: { name } }) => ({ name, args: { n } })));
    await room.run([batch(1), batch(2), says("ok")]);
    for (const approval of room.asked()) room.decide(always, approval);
    await room.rest();
    expect(room.turn().open.approvals.map(({ tool }) => tool)).toEqual(["listed", "judged"]);
  });

  test("[AP14] of two open requests that are always asked, it answers one", async () => {
    const room = openSuspensionRoom({ tools: [createTool("shell")], risk: { always_ask: ["shell"] } });
    await room.run([ask(1, 2), says("ok")]);
    room.decide(always, room.asked()[0]);
    expect(room.asked()).toHaveLength(1);
  });

  test("[AP14][TS18] a changed definition voids it", async () => {
    const room = openSuspensionRoom({ tools: [createTool("shell")] });
    await room.run([ask(1), says("ok")]);
    room.decide(always);
    await room.rest();
    room.evict({ tools: [createTool("shell", undefined, { input: { type: "object", title: "Changed" } })] });
    await room.run([ask(2), says("ok")]);
    expect(room.asked()).toHaveLength(1);
  });

  test("[DI2][DI1] a batch that it let through stays one at a time", async () => {
    const order: string[] = [];
    const it = createTool("it", async ({ n }) => {
      order.push(`start ${Number(n)}`);
      await new Promise((resolve) => setImmediate(resolve));
      order.push(`end ${Number(n)}`);
      return "ok";
    });
    const room = openSuspensionRoom({ tools: [it], runtime: { parallel_tools: true } });
    const batch = (base: number) => calls(...[1, 2].map((n) => ({ name: "it", args: { n: base + n } })));
    await room.run([batch(0), batch(2), says("ok")]);
    room.decide(always, room.asked()[0]);
    await room.rest();
    const sequential = ["start 1", "end 1", "start 2", "end 2"];
    expect(order).toEqual([...sequential, "start 3", "start 4", "end 3", "end 4"]);
  });
});

describe("what a decision is bound to", () => {
  const open = async () => {
    const it = createNoting("it");
    const room = openSuspensionRoom({ tools: [it.tool] });
    await room.run([calls({ name: "it", args: { n: 1 } }), says("ok")]);
    return { room, it };
  };

  test("[AP5] stored arguments that changed after they were approved are refused", async () => {
    const { room, it } = await open();
    room.sql.run("UPDATE calls SET args = ?", new TextEncoder().encode('{"n":2}'));
    room.decide(approve);
    await room.rest();
    expect([dispositionsOf(room.turn()), it.ran, room.turn().state]).toEqual([["refused"], [], "completed"]);
    expect(resultsOf(room.turn())[0]).toMatch(/changed after.*approved/);
  });

  test("[AP5] so is a call whose tool has another definition since it was approved", async () => {
    const other = createNoting("other");
    const room = openSuspensionRoom({ tools: [createTool("it"), other.tool] });
    await room.run([calls({ name: "it" }, { name: "other" }), says("ok")]);
    const [first, second] = room.asked();
    room.decide(approve, first);
    const changed = createNoting("it", { input: { type: "object", description: "Changed" } });
    room.evict({ tools: [changed.tool, other.tool] });
    room.decide(approve, second);
    await room.rest();
    expect([dispositionsOf(room.turn()), changed.ran, other.ran]).toEqual([["refused", "succeeded"], [], [{}]]);
  });

  test("[AP5] an approval of one call is worth nothing for another like it", async () => {
    const { room, it } = await open();
    room.decide(approve);
    room.provider.drop();
    room.provider.script(calls({ name: "it", args: { n: 1 } }), says("ok"));
    await room.rest();
    expect([room.turn().state, it.ran.length, room.asked()]).toEqual(["suspended", 1, ["apr_call_trn_1_2"]]);
  });

  test("[AP13][AP6] a cancel resolves all of them in one step, and later decisions come to nothing", async () => {
    const shell = createNoting("shell");
    const room = openSuspensionRoom({ tools: [shell.tool] });
    await room.run([calls({ name: "shell", args: { n: 1 } }, { name: "shell", args: { n: 2 } }), says("ok")]);
    const approvals = room.asked();
    room.cancel();
    expect(room.asked()).toEqual([]);
    for (const approval of approvals) expect(pathOf(room.decide(approve, approval))).toBe("approval-void");
    await room.rest();
    const turn = room.turn();
    expect([turn.state, shell.ran]).toEqual(["cancelled", []]);
    expect(eventsOf(turn, "approval_decided").map(({ provenance }) => provenance)).toEqual(["cancelled", "cancelled"]);
  });
});
