/** What `npm run turn` prints, event by event. */
import { stripVTControlCharacters } from "node:util";
import { array, assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyRendering, renderEvent } from "../../scripts/lib/render-turn.ts";
import { paintAnsi, paintNothing, type Paint } from "../../scripts/lib/terminal-text.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { createEvent } from "../support/turn-events.ts";

function render(events: readonly WireTurnEvent[], paint: Paint = paintNothing): string {
  let rendering = emptyRendering;
  let printed = "";
  for (const event of events) {
    const next = renderEvent(rendering, event, paint);
    rendering = next.rendering;
    printed += next.text;
  }
  return printed;
}

const token = `zc-receipt-1796126400-${"A".repeat(43)}`;
const endLine = "completed · 1 iteration · 10 tokens in, 2 out · conversation conversation-0001 · turn trn_1\n";

describe("a whole turn", () => {
  test("tools come as lines with their receipts, then the answer, then the outcome", () => {
    const printed = render([
      createEvent("turn_accepted"),
      createEvent("turn_started"),
      createEvent("usage", { finish_reason: "tool_calls" }),
      createEvent("tool_call"),
      createEvent("tool_result", { receipt: token }),
      createEvent("tool_call", { call_id: "c2", tool: "current_time", arguments: { timezone: "Europe/Madrid" } }),
      createEvent("tool_result", { call_id: "c2", tool: "current_time", output: "13:00\nTuesday", duration_ms: 1540 }),
      createEvent("text_delta", { text: "1+1 is " }),
      createEvent("text_delta", { text: "2." }),
      createEvent("turn_finished", { text: "1+1 is 2." }),
    ]);
    expect(printed).toBe(
      [
        '✓ calculator expression="1+1" → 2 · 3 ms',
        `  ${token}`,
        '✓ current_time timezone="Europe/Madrid" → 13:00 Tuesday · 1.5 s',
        "",
        "1+1 is 2.",
        "",
        endLine,
      ].join("\n"),
    );
  });

  test("[EV10][EV9] a delegate's lines are set in and named, and what it says is none of the turn's words", () => {
    const below = { agent: "ben", parent_agent: "assistant", parent_calls: ["c1"] };
    const deeper = { agent: "cy", parent_agent: "ben", parent_calls: ["c1", "c2"] };
    const printed = render([
      createEvent("tool_call", { tool: "delegate", arguments: { agent: "ben" } }),
      createEvent("text_delta", { ...below, text: "It is ", message_id: "m2" }),
      createEvent("text_delta", { ...below, text: "2.", message_id: "m2" }),
      createEvent("approval_requested", deeper),
      createEvent("tool_result", { ...deeper, call_id: "c3", disposition: "failed", success: false, output: "no" }),
      createEvent("tool_result", { tool: "delegate", output: "It is 2." }),
      createEvent("turn_finished", { text: "It is 2." }),
    ]);
    expect(printed).toBe(
      [
        "ben: It is 2.",
        "",
        "    cy: waiting for approval of calculator (expression: 1+1) – a1",
        "    cy: ✗ calculator (failed) · 3 ms",
        "      no",
        '✓ delegate agent="ben" → It is 2. · 3 ms',
        "",
        "It is 2.",
        "",
        endLine,
      ].join("\n"),
    );
  });

  test("words before and after tools are paragraphs of their own", () => {
    const printed = render([
      createEvent("text_delta", { text: "Let me see.\n" }),
      createEvent("tool_call"),
      createEvent("tool_result"),
      createEvent("text_delta", { text: "It is 2.", message_id: "m2" }),
    ]);
    expect(printed).toBe('Let me see.\n\n✓ calculator expression="1+1" → 2 · 3 ms\n\nIt is 2.');
  });

  test("a second message without tools between them starts a paragraph", () => {
    const printed = render([
      createEvent("text_delta"),
      createEvent("text_delta", { message_id: "m2", text: "Again." }),
    ]);
    expect(printed).toBe("Hello.\n\nAgain.");
  });

  test("the words are printed as they come, whole and in order", () => {
    assert(
      property(array(string({ unit: "grapheme", minLength: 1 })), (pieces) => {
        const words = pieces.join("");
        const deltas = pieces.map((text) => createEvent("text_delta", { text }));
        const printed = render([...deltas, createEvent("turn_finished", { text: words })]);
        expect(printed.endsWith(endLine)).toBe(true);
        const shown = printed.slice(0, -endLine.length);
        expect(words === "" ? shown.trim() : shown).toBe(
          words === "" ? "" : words.endsWith("\n") ? `${words}\n` : `${words}\n\n`,
        );
      }),
    );
  });
});

describe("the end", () => {
  test("a text that was not streamed is printed", () => {
    const printed = render([
      createEvent("turn_finished", { outcome: "capped", reason: "max_tool_iterations", text: "So far: 2." }),
    ]);
    expect(printed).toBe(`So far: 2.\n\n${endLine.replace("completed", "capped: max_tool_iterations")}`);
  });

  test("a text that goes on where the stream stopped is printed from there", () => {
    const printed = render([createEvent("text_delta"), createEvent("turn_finished", { text: "Hello.\n\n---\nmore" })]);
    expect(printed).toBe(`Hello.\n\n---\nmore\n\n${endLine}`);
  });

  test("what has been shown is not shown again", () => {
    const events = [createEvent("text_delta"), createEvent("turn_finished", { text: "Hello." })];
    expect(render(events)).toBe(`Hello.\n\n${endLine}`);
  });

  test("an end without words stands by itself", () => {
    const printed = render([createEvent("turn_finished", { outcome: "failed", reason: "provider_error" })]);
    expect(printed).toBe(endLine.replace("completed", "failed: provider_error"));
  });

  test("cost and guessed tokens are said", () => {
    const usage = {
      input_tokens: 1,
      output_tokens: 0,
      cached_tokens: 0,
      reasoning_tokens: 0,
      exact: false,
      cost_usd: 0.5,
    };
    expect(render([createEvent("turn_finished", { usage })])).toContain(
      "about 1 token in, 0 out · $0.5000 · conversation",
    );
  });
});

describe("calls that went wrong", () => {
  test.each([
    ["failed", "(failed)"],
    ["timed_out", "(out of time; it may have taken effect)"],
    ["unknown_tool", "(no such tool, not run)"],
    ["denied", "(denied, not run)"],
  ])("%s is said in words, with the reason below", (disposition, words) => {
    const printed = render([
      createEvent("tool_call"),
      createEvent("tool_result", { disposition, success: false, output: "the reason\nin two lines", duration_ms: 0 }),
    ]);
    expect(printed).toBe(`✗ calculator expression="1+1" ${words} · 0 ms\n  the reason in two lines\n`);
  });

  test("a result whose call was not seen is shown without arguments", () => {
    expect(render([createEvent("tool_result")])).toBe("✓ calculator → 2 · 3 ms\n");
  });
});

describe("events around the words", () => {
  test("retries, trimmed history, recovery, a restarted answer are notes", () => {
    const printed = render([
      createEvent("text_delta", { text: "Hel" }),
      createEvent("provider_retry"),
      createEvent("history_trimmed"),
      createEvent("turn_recovered", { calls: [{ call_id: "c1", disposition: "outcome_unknown" }] }),
      createEvent("message_reset"),
      createEvent("text_delta"),
    ]);
    expect(printed).toBe(
      [
        "Hel",
        "",
        "the model is asked again (attempt 1: refused (503))",
        "2 older messages left out of what the model is told",
        "the turn was cut off and found again, with 1 open call",
        "the answer starts again",
        "",
        "Hello.",
      ].join("\n"),
    );
  });

  test("what a turn waits for, and that it goes on, are notes", () => {
    const printed = render([
      createEvent("approval_requested"),
      createEvent("turn_suspended"),
      createEvent("approval_decided"),
      createEvent("turn_resumed"),
      createEvent("approval_decided", { decision: null, provenance: "expired" }),
      createEvent("client_tool_requested"),
      createEvent("steering"),
      createEvent("loop_warning"),
    ]);
    expect(printed.split("\n")).toEqual([
      "waiting for approval of calculator (expression: 1+1) – a1",
      "the turn waits",
      "approve: calculator",
      "the turn goes on",
      "expired: calculator",
      "waiting for the client to run calculator",
      "you said: and in euros",
      "calculator repeats itself (warn)",
      "",
    ]);
  });

  test("thinking runs on like words, apart from them; without text it leaves no trace", () => {
    const printed = render([
      createEvent("reasoning_delta"),
      createEvent("reasoning_delta", { text: "Hm, " }),
      createEvent("reasoning_delta", { text: "so." }),
      createEvent("text_delta"),
    ]);
    expect(printed).toBe("Hm, so.\n\nHello.");
  });
});

describe("terminals", () => {
  test("[SE56] nothing from outside reaches the terminal as a control character", () => {
    assert(
      property(string({ unit: "binary" }), (hostile) => {
        const printed = render([
          createEvent("text_delta", { text: hostile }),
          createEvent("reasoning_delta", { text: hostile }),
          createEvent("tool_call", { tool: hostile, arguments: { [hostile]: hostile } }),
          createEvent("tool_result", { tool: hostile, output: hostile, receipt: hostile }),
          createEvent("tool_result", { tool: hostile, output: hostile, success: false, disposition: "failed" }),
          createEvent("provider_retry", { reason: hostile }),
          createEvent("approval_requested", { tool: hostile, arguments_summary: hostile }),
          createEvent("approval_decided", { tool: hostile }),
          createEvent("client_tool_requested", { tool: hostile }),
          createEvent("steering", { text: hostile }),
          createEvent("loop_warning", { tool: hostile }),
          createEvent("model_switched", { to: hostile }),
          createEvent("turn_finished", { text: `${hostile}!`, reason: hostile, turn: hostile }),
        ]);
        expect(printed).not.toMatch(/(?![\n\t])[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      }),
    );
  });

  test("long arguments, outputs, reasons are cut with a sign that they are", () => {
    const printed = render([
      createEvent("tool_call", { arguments: { text: "a".repeat(500) } }),
      createEvent("tool_result", { output: "b".repeat(500), success: false, disposition: "failed" }),
    ]);
    const [first = "", second = ""] = printed.split("\n");
    expect(first).toMatch(/text="a{73}… \(failed\)/u);
    expect(second).toBe(`  ${"b".repeat(199)}…`);
  });

  test("colours change nothing but colours", () => {
    const events = [
      createEvent("tool_call"),
      createEvent("tool_result", { receipt: token }),
      createEvent("turn_finished"),
    ];
    const coloured = render(events, paintAnsi);
    expect(coloured).toContain(`  \u001B[2m${token}\u001B[22m\n`);
    expect(stripVTControlCharacters(coloured)).toBe(render(events));
  });
});
