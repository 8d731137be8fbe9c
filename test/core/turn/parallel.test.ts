/** Batches that overlap: which may, how many at once, and what a cancel leaves of them. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineHook } from "../../../src/config.ts";
import type { JsonObject } from "../../../src/contracts/json.ts";
import type { Tool } from "../../../src/contracts/tool.ts";
import {
  type CoreSetup,
  dispositionsOf,
  eventsOf,
  openConversation,
  resultsOf,
  runOnce,
} from "../../support/core-fixture.ts";
import { calls, says, type ScriptedCall } from "../../support/scripted-provider.ts";
import { createGate, createTool, settle } from "../../support/test-tools.ts";

const full = { level: "full" } as const;
const sideBySide = { parallel_tools: true } as const;

/** Tools that say how many of them were under way at once, at most. */
function createOverlapping(...names: readonly string[]) {
  let running = 0;
  let most = 0;
  const execute = async (): Promise<string> => {
    running += 1;
    most = Math.max(most, running);
    await settle(1);
    running -= 1;
    return "ok";
  };
  return { tools: names.map((name) => createTool(name, execute)), most: () => most };
}

const distinct = (...names: readonly string[]): readonly ScriptedCall[] =>
  names.map((name, n) => ({ name, args: { n } }));

async function overlapOf(
  wanted: readonly ScriptedCall[],
  setup: CoreSetup & { readonly narrowing?: object },
  flags: (tool: Tool) => Tool = (tool) => tool,
): Promise<number> {
  const { tools, most } = createOverlapping("a", "b", "shell", "tool_search");
  await runOnce([calls(...wanted), says("ok")], { tools: tools.map(flags), ...setup });
  return most();
}

const renaming = (from: string, to: string) =>
  defineHook({ name: "rename", on: "before_tool_call", run: ({ tool }) => (tool === from ? { tool: to } : undefined) });
const stopping = (name: string) =>
  defineHook({
    name: "stop",
    on: "before_tool_call",
    run: ({ tool }) => (tool === name ? { cancel: "no" } : undefined),
  });

describe("which batches overlap", () => {
  const free = { auto_approve: ["a", "b", "tool_search"] };
  const unasked = { narrowing: { approvals: "deny" } } as const;
  const remembering = { risk: free, runtime: sideBySide };
  test.each([
    ["three calls that need no prompt", distinct("a", "b", "a"), remembering, 3],
    [
      "level full, an unknown tool between two known ones",
      distinct("a", "x", "b"),
      { risk: full, runtime: sideBySide },
      2,
    ],
    ["with one that prompts", distinct("a", "shell", "b"), { ...remembering, ...unasked }, 1],
    ["with a search for tools", distinct("a", "tool_search", "b"), remembering, 1],
    [
      "a hook makes a search of one",
      distinct("a", "x", "b"),
      { ...remembering, execution: { hooks: [renaming("x", "tool_search")] } },
      1,
    ],
    [
      "a hook makes another of a search",
      distinct("tool_search", "a", "b"),
      { ...remembering, execution: { hooks: [renaming("tool_search", "a")] } },
      1,
    ],
    [
      "a hook makes one free that would prompt",
      distinct("shell", "a", "b"),
      { ...remembering, execution: { hooks: [renaming("shell", "a")] } },
      1,
    ],
    [
      "a hook stops one that would prompt",
      distinct("shell", "a", "b"),
      { ...remembering, execution: { hooks: [stopping("shell")] } },
      1,
    ],
    [
      "a hook stops one that would not",
      distinct("a", "b", "b"),
      { ...remembering, execution: { hooks: [stopping("a")] } },
      2,
    ],
    [
      "a hook makes one free of one that is",
      distinct("b", "a"),
      { ...remembering, execution: { hooks: [renaming("b", "a")] } },
      2,
    ],
    ["one call beside an unknown one", distinct("a", "x"), remembering, 1],
    ["the switch is off", distinct("a", "b"), { risk: free }, 1],
    ["the run takes the switch away", distinct("a", "b"), { ...remembering, narrowing: { parallelTools: false } }, 1],
  ] as const)("[DI1] %s", async (...[_what, wanted, setup, most]) => {
    expect(await overlapOf(wanted, setup as CoreSetup)).toBe(most);
  });

  test("[AP2][DI1] a hook that changes nothing makes no predicate speak twice", async () => {
    let asked = 0;
    const needsApproval = (): boolean => ((asked += 1), false);
    const hooks = [defineHook({ name: "same", on: "before_tool_call", run: ({ args }) => ({ args }) })];
    const setup = { risk: { auto_approve: ["a", "b"] }, runtime: sideBySide, execution: { hooks } };
    expect(await overlapOf(distinct("a", "b"), setup, (tool) => ({ ...tool, needsApproval }))).toBe(2);
    expect(asked).toBe(2);
  });

  test("[DI3] ten calls, at most six at once, started in model order", async () => {
    const started: unknown[] = [];
    let running = 0;
    let most = 0;
    const tool = createTool("a", async ({ n }) => {
      started.push(n);
      most = Math.max(most, (running += 1));
      // The later ones end first.
      await settle(12 - Number(n));
      running -= 1;
      return JSON.stringify(n);
    });
    const wanted = distinct(...Array.from({ length: 10 }, () => "a"));
    const turn = await runOnce([calls(...wanted), says("ok")], { risk: full, runtime: sideBySide, tools: [tool] });
    expect([started, most]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8, 9], 6]);
    expect(resultsOf(turn).map((result) => result.charAt(0))).toEqual(Array.from("0123456789"));
  });

  test("[EV6] starts in model order, results as they come, history in model order", async () => {
    const second = createGate();
    const tools = [
      createTool("a", async () => {
        await second.opened;
        return "a";
      }),
      createTool("b", () => (setImmediate(() => second.open()), "b")),
    ];
    const turn = await runOnce([calls({ name: "a" }, { name: "b" }), says("ok")], {
      risk: full,
      runtime: sideBySide,
      tools,
    });
    const shown = turn.events.flatMap((event) => ("call_id" in event ? [`${event.type} ${event.tool}`] : []));
    expect(shown).toEqual(["tool_call a", "tool_call b", "tool_result b", "tool_result a"]);
    expect(resultsOf(turn).map((result) => result.charAt(0))).toEqual(["a", "b"]);
  });
});

describe("cancel", () => {
  test("[DI7][DI10][EV2] A has ended, B runs, C waits for a place: A keeps its result, one result each, the round is kept", async () => {
    const cancel = new AbortController();
    const signals: boolean[] = [];
    const ran: string[] = [];
    const tool = (name: string, execute: Parameters<typeof createTool>[1] = () => "done") =>
      createTool(name, (args, context) => {
        ran.push(name);
        return execute(args, context);
      });
    const tools = [
      tool("a"),
      tool("b", (_args, { signal }) => {
        signal.addEventListener("abort", () => signals.push(signal.aborted));
        return new Promise(() => undefined);
      }),
      tool("c", () => {
        setImmediate(() => cancel.abort());
        return new Promise(() => undefined);
      }),
      tool("d"),
    ];
    const turn = await runOnce([calls(...distinct("a", "b", "c", "d"))], {
      risk: full,
      runtime: { ...sideBySide, max_parallel_tools: 2 },
      tools,
      cancel: cancel.signal,
    });
    const [a, b, c, d] = resultsOf(turn);
    expect(a).toMatch(/^done\n\n\[receipt/);
    expect([b, c].map((result) => /may or may not/.test(result ?? ""))).toEqual([true, true]);
    expect(d).toMatch(/not run/);
    expect([ran, signals]).toEqual([["a", "b", "c"], [true]]);
    for (const type of ["tool_call", "tool_result"] as const) {
      expect(
        eventsOf(turn, type)
          .map(({ call_id }) => call_id)
          .toSorted(),
      ).toEqual([1, 2, 3, 4].map((n) => `call_trn_1_${n}`));
    }
    expect(turn.summary).toMatchObject({ outcome: "cancelled", reason: "cancel" });
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool", "tool", "tool", "tool"]);
  });

  test("[DI9][DU11] a tool that ignores its signal is not waited for; its late result is one line of log", async () => {
    const cancel = new AbortController();
    const late = createGate<string>();
    const tool = createTool("a", () => {
      setImmediate(() => cancel.abort());
      return late.opened;
    });
    const conversation = openConversation({ risk: full, tools: [tool] });
    const turn = await conversation.run([calls({ name: "a" })], { cancel: cancel.signal });
    expect([dispositionsOf(turn), turn.summary.outcome]).toEqual([["interrupted"], "cancelled"]);
    late.open("too late");
    await settle();
    expect(conversation.log).toMatchObject([{ level: "warn", code: "late_tool_result" }]);
    expect(conversation.sql.all("SELECT max(seq) AS last FROM events")).toEqual([{ last: turn.events.at(-1)?.seq }]);
    expect(JSON.stringify(conversation.sql.all("SELECT body FROM messages"))).not.toContain("too late");
  });

  test("[DI10] a cancelled batch is not looked at by the loop guards", async () => {
    const cancel = new AbortController();
    const tool = createTool("a", () => "same");
    const last = createTool("b", () => {
      cancel.abort();
      return "same";
    });
    const round = calls({ name: "a" });
    const turn = await runOnce([round, round, calls({ name: "a" }, { name: "b" })], {
      risk: full,
      tools: [tool, last],
      cancel: cancel.signal,
    });
    expect([turn.summary.outcome, eventsOf(turn, "loop_warning")]).toEqual(["cancelled", []]);
  });
});

describe("whatever ends first", () => {
  type End = "ok" | "fails" | "throws" | "hangs";
  const call = fc.record({
    end: fc.constantFrom<End>("ok", "fails", "throws", "hangs"),
    wait: fc.integer({ min: 0, max: 4 }),
    name: fc.constantFrom("a", "a", "a", "unknown"),
  });
  const resultOf: Record<Exclude<End, "hangs">, (n: number) => unknown> = {
    ok: (n) => `ok ${n}`,
    fails: () => ({ success: false, error: "no" }),
    throws: () => {
      throw new Error("no");
    },
  };

  test("[CP2][EV2][EV6][HI2] slots keep model order under any interleaving, one pair each, all through a cancel too", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 6 }),
        fc.option(fc.integer({ min: 0, max: 8 })),
        async (wanted, places, cancelAfter) => {
          const cancel = new AbortController();
          const hangs = wanted.some(({ end, name }) => end === "hangs" && name === "a");
          const tool = createTool("a", async ({ n }: JsonObject) => {
            const { end = "ok", wait = 0 } = wanted[Number(n)] ?? {};
            for (let turns = 0; turns < wait; turns += 1) await Promise.resolve();
            return end === "hangs" ? await new Promise(() => undefined) : resultOf[end](Number(n));
          });
          // What hangs ends by the cancel alone.
          if (hangs || cancelAfter !== null) void settle(1 + (cancelAfter ?? 0) / 4).then(() => cancel.abort());
          const conversation = openConversation({
            risk: full,
            runtime: { ...sideBySide, max_parallel_tools: places, dedup_enabled: false },
            tools: [tool],
          });
          const script = [calls(...wanted.map(({ name }, n) => ({ name, args: { n } }))), says("ok")];
          const turn = await conversation.run(script, { cancel: cancel.signal });
          const ids = wanted.map((_, n) => `call_trn_1_${n + 1}`);
          const answered = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.callId] : []));
          expect(answered).toEqual(ids);
          const own = resultsOf(turn).map(
            (result, n) => !result.includes("[receipt: ") || result.startsWith(`ok ${n}\n`),
          );
          expect(own).toEqual(wanted.map(() => true));
          for (const type of ["tool_call", "tool_result"] as const) {
            expect(
              eventsOf(turn, type)
                .map(({ call_id }) => call_id)
                .toSorted(),
            ).toEqual(ids);
          }
          const started = eventsOf(turn, "tool_call").filter(({ tool_origin }) => tool_origin === "code");
          expect(started.map(({ index }) => index)).toEqual(
            started.map(({ index }) => index).toSorted((x, y) => x - y),
          );
        },
      ),
      { numRuns: 1000 },
    );
  }, 120_000);
});
