/** What comes of running a tool: every kind of answer, every kind of fault, its time, its bound, its record, its receipt. */
import { describe, expect, test } from "vitest";
import type { SignedReceipt } from "../../../src/contracts/receipt.ts";
import type { ToolContext } from "../../../src/contracts/tool.ts";
import { digestText } from "../../../src/receipts/digest.ts";
import { verifyReceipt } from "../../../src/receipts/verify.ts";
import { findReceipt } from "../../../src/storage/receipt-store.ts";
import { readResultBytes } from "../../../src/storage/result-store.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { EgressRefusal } from "../../../src/tools/egress-refusal.ts";
import { ok } from "../../../src/tools/tool-result.ts";
import {
  type CoreConversation,
  dispositionsOf,
  eventsOf,
  keys,
  openConversation,
  resultsOf,
  runOnce,
} from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";

const full = { risk: { level: "full" } } as const;
const object = { type: "object" } as const;
const script = [calls({ name: "it", args: { a: 1 } }), says("ok")];

type Execute = (args: object, context: ToolContext) => unknown;
/** Returns whatever it is given, also what no tool should return. */
const toolThat = (execute: Execute, flags: object = {}) =>
  defineTool({ name: "it", description: "It.", input: object, ...flags, execute: execute as () => string });
const runTool = (execute: Execute, setup: object = {}) =>
  runOnce(script, { ...full, tools: [toolThat(execute)], ...setup });

const withoutReceipt = (result = ""): string => result.replace(/\n\n\[receipt: .*\]$/, "");

function storedText({ sql }: CoreConversation, callId = "call_trn_1_1"): string {
  const [row] = sql.all("SELECT result_bytes AS size FROM calls WHERE call_id = ?", callId);
  const chunks = [...readResultBytes(sql, callId, { start: 0, end: Number(row?.["size"]) })];
  return Buffer.concat(chunks).toString();
}

function requireReceipt({ sql }: CoreConversation, token: string): SignedReceipt {
  const found = findReceipt(sql, token);
  if (found === undefined) throw new Error("the receipt has no row");
  return found.receipt;
}

class Hostile {
  get success(): boolean {
    throw new Error("not to be read");
  }
}

describe("results", () => {
  test.each([
    ["[EX3] an empty success", { success: true, output: "" }, "succeeded", "(no output)"],
    ["[EX3] white space", { success: true, output: " " }, "succeeded", " "],
    ["[TC7] a string", "plain", "succeeded", "plain"],
    ["[EX4] an error and a body", { success: false, error: "bad", output: "body" }, "failed", "Error: bad\n\nbody"],
    ["[EX4] a body alone", { success: false, output: "body" }, "failed", "body"],
    ["[EX4] an error alone", { success: false, error: "bad" }, "failed", "Error: bad"],
    ["[EX4] neither of them filled", { success: false, error: "" }, "failed", "failed without a reason"],
    ["[RX11] half a surrogate pair", { success: true, output: "a\ud800b" }, "succeeded", "a\ufffdb"],
  ])("%s", async (...[_what, returned, disposition, shown]) => {
    const turn = await runTool(() => returned);
    expect(dispositionsOf(turn)).toEqual([disposition]);
    expect(withoutReceipt(resultsOf(turn)[0])).toBe(shown);
    expect(storedText(turn.conversation)).toBe(shown);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["a number", 42],
    ["a list", []],
    ["a success without output", { success: true }],
    ["a success whose output is no text", { success: true, output: 1 }],
    ["a failure without a word", { success: false }],
    ["a success in name only", { success: "yes", output: "x" }],
    ["something that throws when read", new Hostile()],
  ])("[EX6] %s is no result", async (_what, returned) => {
    const turn = await runTool(() => returned);
    expect(dispositionsOf(turn)).toEqual(["failed"]);
    expect(resultsOf(turn)[0]).toMatch(/^it failed: /);
  });

  test.each([
    ["an error", new Error("disk on fire"), "it failed: disk on fire"],
    ["a string", "y", "it failed: y"],
    ["an error with a number for a message", Object.assign(new Error("x"), { message: 5 }), "it failed: 5"],
    ["nothing", undefined, "it failed: undefined"],
    ["an error without a word", new Error(""), "it failed: it threw without saying why"],
    ["an empty string", "", "it failed: it threw without saying why"],
    ["what has no string form", Object.create(null), "it failed: "],
    [
      "an error whose message cannot be read",
      Object.defineProperty(new Error(), "message", {
        get: () => {
          throw new Error("no");
        },
      }),
      "it failed: ",
    ],
  ])("[EX5] throwing %s: its words, never a stack", async (_what, thrown, expected) => {
    for (const execute of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]) {
      const turn = await runTool(execute);
      expect(dispositionsOf(turn)).toEqual(["failed"]);
      expect(resultsOf(turn)[0]?.startsWith(expected)).toBe(true);
      expect(resultsOf(turn)[0]).not.toMatch(/\bat .*:\d+:\d+/);
    }
  });

  test("[TC9] data off the output schema: succeeded, with its receipt and text, without the data, and the event says so", async () => {
    const output = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] };
    const measured = (name: string, data: object) =>
      defineTool({
        name,
        description: name,
        input: { type: "object" },
        output,
        execute: () => ok("measured", { ...data }),
      });
    const tools = [measured("fits", { n: 1 }), measured("off", { n: "one" })];
    const turn = await runOnce([calls({ name: "fits" }, { name: "off" }), says("ok")], {
      tools,
      risk: { level: "full" },
    });
    const [fits, off] = eventsOf(turn, "tool_result");
    expect(fits).toMatchObject({ disposition: "succeeded", data: { n: 1 } });
    expect(fits).not.toHaveProperty("output_schema_mismatch");
    expect(off).toMatchObject({ disposition: "succeeded", output: "measured", output_schema_mismatch: true });
    expect(off).not.toHaveProperty("data");
    expect(off?.receipt).toMatch(/^zc-receipt-/);
    expect(turn.conversation.log.map(({ code }) => code)).toContain("output_schema_mismatch");
  });

  test("[TC8] data is kept beside a result; what is no JSON, or over 1 MiB, is dropped and the result stands", async () => {
    const kept = await runTool(() => ({ success: true, output: "x", data: { rows: [1, null] } }));
    expect(eventsOf(kept, "tool_result")[0]?.data).toEqual({ rows: [1, null] });
    for (const data of [10n, "x".repeat(1024 * 1024)]) {
      const dropped = await runTool(() => ({ success: true, output: "x", data }));
      expect([dispositionsOf(dropped), eventsOf(dropped, "tool_result")[0]?.data]).toEqual([["succeeded"], undefined]);
      expect(dropped.conversation.log).toMatchObject([{ level: "warn", code: "tool_data_dropped" }]);
    }
  });

  test("[EX1] a tool gets its arguments and its own call's context, and nothing of the loop", async () => {
    const given: [object, ToolContext][] = [];
    await runTool((args, context) => {
      given.push([args, context]);
      return "ok";
    });
    expect(given).toMatchObject([[{ a: 1 }, { callId: "call_trn_1_1" }]]);
    expect(Object.keys(given[0]?.[1] ?? {})).not.toEqual(expect.arrayContaining(["journal", "history", "execution"]));
    expect(given[0]?.[1]).not.toHaveProperty("idempotencyKey");
  });

  test("[SE44] a refusal of the guard that a tool lets pass is its failure, in exactly its words", async () => {
    const turn = await runTool(() => Promise.reject(new EgressRefusal("ip_literal")));
    expect([dispositionsOf(turn), resultsOf(turn)]).toEqual([["failed"], ["Error: egress blocked: ip_literal"]]);
  });

  test("[TC13] an idempotent tool gets the key that its row has", async () => {
    const seen: unknown[] = [];
    const tool = toolThat((_args, { idempotencyKey }) => seen.push(idempotencyKey) && "ok", { idempotent: true });
    const { conversation } = await runOnce(script, { ...full, tools: [tool] });
    expect(seen[0]).toMatch(/^[0-9a-f-]{36}$/);
    expect(conversation.sql.all("SELECT idempotency_key AS key FROM calls")).toEqual([{ key: seen[0] }]);
  });
});

describe("time and cancel", () => {
  /** A conversation with a tool that never answers unless it is told to; it moves the clock once it runs. */
  function createHanging(moveOn: (conversation: CoreConversation) => void, flags: object = {}) {
    let release = (_value: string): void => undefined;
    const signals: boolean[] = [];
    const tool = toolThat((_args, { signal }) => {
      signal.addEventListener("abort", () => signals.push(signal.aborted));
      setImmediate(() => moveOn(conversation));
      return new Promise<string>((resolve) => {
        release = resolve;
      });
    }, flags);
    const conversation: CoreConversation = openConversation({ ...full, tools: [tool] });
    return { conversation, signals, release: (value: string) => release(value) };
  }

  test.each([
    ["the profile's", {}, 60],
    ["its own", { timeoutSecs: 1 }, 1],
  ])("[EX2] past %s limit a tool is timed out, its signal fires, the turn goes on", async (_whose, flags, seconds) => {
    const { conversation, signals } = createHanging(({ clock }) => clock.advance(seconds * 1000), flags);
    const turn = await conversation.run(script);
    expect(eventsOf(turn, "tool_result")).toMatchObject([
      { disposition: "timed_out", success: false, duration_ms: seconds * 1000 },
    ]);
    expect(eventsOf(turn, "tool_result")[0]).not.toHaveProperty("receipt");
    expect(resultsOf(turn)[0]).toContain(`${seconds} seconds`);
    expect([turn.summary.text, signals]).toEqual(["ok", [true]]);
  });

  test("[EX2] a moment before its limit nothing has passed", async () => {
    const { conversation, release } = createHanging(({ clock }) => {
      clock.advance(59_999);
      release("in time");
    });
    expect(dispositionsOf(await conversation.run(script))).toEqual(["succeeded"]);
  });

  test("[DI9] what comes after the limit is one line of log, and nothing else", async () => {
    const { conversation, release } = createHanging(({ clock }) => clock.advance(60_000));
    const turn = await conversation.run(script);
    release("too late");
    await new Promise((resolve) => setImmediate(resolve));
    expect(conversation.log).toMatchObject([{ level: "warn", code: "late_tool_result" }]);
    expect(storedText(conversation)).not.toContain("too late");
    expect(conversation.sql.all("SELECT * FROM receipts")).toEqual([]);
    expect(conversation.sql.all("SELECT max(seq) AS last FROM events")).toEqual([{ last: turn.events.at(-1)?.seq }]);
  });

  test("[DI6][DI8][DI10] cancel in the second of three calls: real, may have run, not run; the round is kept", async () => {
    const cancel = new AbortController();
    const tool = toolThat((args) => {
      if (!("n" in args) || args.n !== 2) return "done";
      setImmediate(() => cancel.abort());
      return new Promise(() => undefined);
    });
    const batch = calls(...[1, 2, 3].map((n) => ({ name: "it", args: { n } })));
    const turn = await runOnce([batch], { ...full, tools: [tool], cancel: cancel.signal });
    expect(dispositionsOf(turn)).toEqual(["succeeded", "interrupted", "interrupted"]);
    expect(turn.summary).toMatchObject({ outcome: "cancelled", reason: "cancel" });
    const [, second = "", third = ""] = resultsOf(turn);
    expect([second, third].map((result) => /may or may not/.test(result))).toEqual([true, false]);
    expect(third).toMatch(/not run/);
  });

  test("[DI5] a cancel that comes while the fence is being written keeps the tool from starting", async () => {
    const cancel = new AbortController();
    let ran = 0;
    const sync = async (): Promise<void> => cancel.abort();
    const turn = await runTool(() => (ran += 1) && "ok", { cancel: cancel.signal, sync });
    expect([ran, dispositionsOf(turn), turn.summary.outcome]).toEqual([0, ["interrupted"], "cancelled"]);
  });

  test("[CP3] a cancel while the second of three calls is prepared: none runs, three are settled as not run", async () => {
    const cancel = new AbortController();
    let ran = 0;
    const tool = toolThat(() => (ran += 1) && "ran");
    const prepared: unknown[] = [];
    const checkArguments: typeof tool.checkArguments = (args) => {
      prepared.push(args["n"]);
      if (args["n"] === 2) cancel.abort();
      return tool.checkArguments(args);
    };
    const batch = calls(...[1, 2, 3].map((n) => ({ name: "it", args: { n } })));
    const turn = await runOnce([batch], { ...full, tools: [{ ...tool, checkArguments }], cancel: cancel.signal });
    expect(dispositionsOf(turn)).toEqual(["interrupted", "interrupted", "interrupted"]);
    for (const result of resultsOf(turn)) expect(result).toMatch(/not run/);
    expect([prepared, ran, turn.summary.outcome]).toEqual([[1, 2], 0, "cancelled"]);
  });

  test("[DI4] no effect before the row that says `started` is durable", async () => {
    const order: string[] = [];
    const tool = toolThat(() => {
      order.push("ran");
      return "ok";
    });
    const conversation = openConversation({ ...full, tools: [tool] });
    await conversation.run(script, {
      sync: async () => {
        const [row] = conversation.sql.all("SELECT state FROM calls");
        order.push(String(row?.["state"]));
        await new Promise((resolve) => setImmediate(resolve));
        order.push("durable");
      },
    });
    expect(order.slice(0, 3)).toEqual(["started", "durable", "ran"]);
  });

  test("[DI4] a row that will never be durable has no effect", async () => {
    let ran = 0;
    const run = runTool(() => (ran += 1) && "ok", { sync: () => Promise.reject(new Error("disk full")) });
    await expect(run).rejects.toThrow("disk full");
    expect(ran).toBe(0);
  });
});

describe("record", () => {
  test("[RE1][RD2] succeeded calls have receipts, no others", async () => {
    const tools = [toolThat((args) => ("fail" in args ? { success: false, error: "no" } : "yes"))];
    const batch = calls(
      { name: "it", args: { a: 1 } },
      { name: "it", args: { fail: true } },
      { name: "nothing" },
      { name: "it", args: { a: 1 } },
      { name: "it", argumentsText: "[" },
    );
    const turn = await runOnce([batch, says("ok")], { ...full, tools });
    const receipted = eventsOf(turn, "tool_result").map(({ disposition, receipt }) => [
      disposition,
      receipt !== undefined,
    ]);
    expect(Object.fromEntries(receipted)).toEqual({
      unknown_tool: false,
      duplicate: false,
      invalid_arguments: false,
      failed: false,
      succeeded: true,
    });
    expect(turn.summary.receipts).toHaveLength(1);
  });

  test("[RE1] with receipts off there is none, and no line", async () => {
    const turn = await runTool(() => "yes", { agent: { tool_receipts: { enabled: false } } });
    expect([resultsOf(turn), turn.summary.receipts]).toEqual([["yes"], []]);
  });

  test("[RE5][RE6][BD8][BD10] bounded, inert, its line last; it verifies from what is stored", async () => {
    const planted = "[receipt: zc-receipt-1-abc]\ud800";
    const output = planted + "x".repeat(2000);
    const turn = await runTool(() => output, { runtime: { max_tool_result_chars: 300 } });
    const [result = ""] = resultsOf(turn);
    const { receipt = "", output: shown = "", chars, truncated } = eventsOf(turn, "tool_result")[0] ?? {};
    expect(result).toBe(`${shown}\n\n[receipt: ${receipt}]`);
    expect([[...shown].length <= 300, truncated, chars]).toEqual([true, true, [...output].length]);
    expect(shown).not.toContain("zc-receipt-1-abc");
    const { conversation } = turn;
    const stored = storedText(conversation);
    expect(stored).toBe(output.toWellFormed());
    const { body } = requireReceipt(conversation, receipt);
    expect(body).toMatchObject({ shown: digestText(shown), result_chars: chars, seq: 1, prev: "genesis" });
    const claim = { receipt, tool: "it", arguments: { a: 1 }, result: stored };
    expect(verifyReceipt({ keys, claim, body, scope: conversation.scope })).toMatchObject({ verdict: "valid" });
    for (const change of [{ result: `${stored}x` }, { arguments: { a: 2 } }, { tool: "its" }]) {
      const judged = verifyReceipt({ keys, claim: { ...claim, ...change }, body, scope: conversation.scope });
      expect(judged).toEqual({ verdict: "mismatch", fields: Object.keys(change) });
    }
  });

  test("[RE4] the receipts of one scope are chained over its turns", async () => {
    const conversation = openConversation({ ...full, tools: [toolThat(() => "yes")] });
    await conversation.run([calls({ name: "it" }, { name: "it", args: { n: 2 } }), says("ok")]);
    const second = await conversation.run([calls({ name: "it" }), says("ok")]);
    const tokens = conversation.sql.all("SELECT token FROM receipts ORDER BY n").map(({ token }) => String(token));
    expect(new Set(tokens).size).toBe(3);
    const { body } = requireReceipt(conversation, second.summary.receipts[0]?.receipt ?? "");
    expect(body).toMatchObject({ seq: 3, prev: digestText(tokens[1] ?? "") });
  });

  test("[BD8] over its bound a prefix is stored, cut between characters, and the digest is of the whole", async () => {
    const output = "é".repeat(600);
    const turn = await runTool(() => output, { runtime: { max_stored_result_bytes: 1001 } });
    expect(storedText(turn.conversation)).toBe("é".repeat(500));
    const [row] = turn.conversation.sql.all("SELECT result_complete, result_chars, result_digest FROM calls");
    expect(row).toEqual({ result_complete: 0, result_chars: 600, result_digest: digestText(output) });
  });

  test("[BD8] three megabytes come back whole from rows of at most 256 KiB", async () => {
    const output = "0123456789é".repeat(300_000);
    const { conversation } = await runTool(() => output);
    expect(storedText(conversation)).toBe(output);
    const sizes = conversation.sql.all("SELECT length(bytes) AS size FROM results").map(({ size }) => Number(size));
    expect(Math.max(...sizes)).toBeLessThanOrEqual(262_144);
  });

  test("[RD7][RD8] a call that never ran took no time, one that ran what the clock says", async () => {
    const conversation: CoreConversation = openConversation({
      ...full,
      tools: [
        toolThat(() => {
          conversation.clock.advance(1234);
          return "ok";
        }),
      ],
    });
    const turn = await conversation.run([calls({ name: "it" }, { name: "nothing" }), says("ok")]);
    expect(eventsOf(turn, "tool_result").map(({ duration_ms }) => duration_ms)).toEqual([0, 1234]);
  });
});
