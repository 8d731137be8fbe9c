/** What a reader gets of a model's thinking. */
import { describe, expect, test } from "vitest";
import type { TurnEvent } from "../../../src/contracts/turn-event.ts";
import { createReasoningDeltas } from "../../../src/core/turn/reasoning-deltas.ts";
import { runDelegate } from "../../../src/core/turn/delegate.ts";
import { createToolLoop, createTurnShared, type ToolLoop } from "../../../src/core/turn/turn-context.ts";
import { createRedactor } from "../../../src/observe/redact.ts";
import { createDeltaRedactor } from "../../../src/observe/redact-deltas.ts";
import { runOnce } from "../../support/core-fixture.ts";
import { finish, says, text } from "../../support/scripted-provider.ts";
import { createTestClock } from "../../support/test-clock.ts";

/** A loop whose events go into a list. */
async function openLoop(draft_reasoning: "off" | "status" | "full") {
  const { execution } = await runOnce([says("ok")], { runtime: { draft_reasoning } });
  const clock = createTestClock();
  const events: TurnEvent[] = [];
  const redactor = createRedactor({ secrets: ["s3cr3t-of-the-product"] });
  const loop: ToolLoop = createToolLoop({
    execution: {
      ...execution,
      redactor: { ...redactor, deltas: () => createDeltaRedactor(redactor) },
      ports: { ...execution.ports, ...clock },
    },
    identity: { tenant: "t", conversation: "c", turn: "trn_1", channel: "http", subject: "s", interactive: true },
    hidden: new Set(),
    journal: { history: () => [], appendEvents: (more: readonly TurnEvent[]) => events.push(...more) } as never,
    cancel: new AbortController().signal,
    runDelegate,
    frame: { depth: 0 },
    shared: createTurnShared(execution),
    listing: { names: [], text: "" },
  });
  return { deltas: createReasoningDeltas(loop, "msg_1"), events, clock };
}

const textOf = (events: readonly TurnEvent[]): readonly (string | undefined)[] =>
  events.map((event) => (event.type === "reasoning_delta" ? event.text : expect.fail(event.type)));

describe("draft_reasoning", () => {
  test("[PV9] off: nothing", async () => {
    const { deltas, events } = await openLoop("off");
    deltas.push("hm");
    deltas.finish();
    expect(events).toEqual([]);
  });

  test("[PV9] status: a sign without text, at most once a second", async () => {
    const { deltas, events, clock } = await openLoop("status");
    for (let tenth = 0; tenth < 25; tenth += 1) {
      deltas.push("hm");
      clock.advance(100);
    }
    deltas.push("");
    deltas.finish();
    expect(events).toHaveLength(3);
    for (const event of events)
      expect(event).toEqual(expect.objectContaining({ type: "reasoning_delta", messageId: "msg_1" }));
    expect(events.some((event) => "text" in event)).toBe(false);
  });

  test("[PV9][DU47] full: its text, pieces within the interval in one row", async () => {
    const { deltas, events, clock } = await openLoop("full");
    for (const piece of ["So ", "that ", "is ", "\ud83d", "\ude00 it"]) deltas.push(piece);
    expect(textOf(events)).toEqual(["So"]);
    clock.advance(50);
    deltas.finish();
    expect(textOf(events).join("")).toBe("So that is \u{1f600} it");
    expect(events).toHaveLength(3);
  });

  test("[PV9][SE70] full: no secret in any piece, and it may go on after it was finished", async () => {
    const { deltas, events } = await openLoop("full");
    for (const piece of ["the s3cr3t-", "of-the-", "product is"]) deltas.push(piece);
    deltas.finish();
    deltas.push("more");
    deltas.finish();
    expect(textOf(events).join("")).toBe("the [REDACTED:own] ismore");
  });

  test("[PV9] in a turn: before the text that follows it, never in a text_delta, the final text or history's text", async () => {
    const thinks = [{ type: "reasoning", text: "let me " } as const, { type: "reasoning", text: "see" } as const];
    const turn = await runOnce([[...thinks, text("Hi"), finish()]], { runtime: { draft_reasoning: "full" } });
    const shown = turn.events.flatMap((event) => (event.type.endsWith("_delta") && "text" in event ? [event] : []));
    expect(shown.map(({ type }) => type)).toEqual(["reasoning_delta", "reasoning_delta", "text_delta"]);
    expect(shown.map((event) => event.text).join("|")).toBe("let me |see|Hi");
    expect(turn.summary.text).toBe("Hi");
    expect(turn.history.at(-1)).toMatchObject({ text: "Hi", reasoning: "let me see" });
  });
});
