/** Histories for tests: entries with few words, and any history that a conversation may have. */
import * as fc from "fast-check";
import type { AssistantEntry, HistoryEntry, NoteEntry, ToolEntry, UserEntry } from "../../../src/contracts/message.ts";

export const user = (text: string, turn = "t1"): UserEntry => ({ kind: "user", turn, parts: [{ type: "text", text }] });
export const note = (text: string, turn = "t1"): NoteEntry => ({ kind: "note", turn, text });
export const says = (text: string, ...callIds: string[]): AssistantEntry => ({
  kind: "assistant",
  turn: "t1",
  text,
  calls: callIds.map((callId) => ({
    callId,
    wireId: `w_${callId}`,
    tool: "files__read.text",
    argumentsText: '{"a":1}',
  })),
});
export const result = (callId: string, text = "ok"): ToolEntry => ({
  kind: "tool",
  turn: "t1",
  callId,
  wireId: `w_${callId}`,
  tool: "files__read.text",
  text,
  success: true,
});
export const round = (...callIds: string[]): HistoryEntry[] => [
  says("", ...callIds),
  ...callIds.map((id) => result(id)),
];

type Happening = "user" | "steering" | "note" | "answer" | "blank" | "round";

const happening: fc.Arbitrary<{ readonly what: Happening; readonly calls: number; readonly text: string }> = fc.record({
  what: fc.constantFrom<Happening>("user", "steering", "note", "answer", "blank", "round"),
  calls: fc.integer({ min: 1, max: 3 }),
  text: fc.constantFrom("Hello there.", "é".repeat(20), "x".repeat(200), "  spaced\n"),
});

/** Begins with the user, as every conversation does; each call has its result, as storage guarantees. */
export const anyHistory: fc.Arbitrary<readonly HistoryEntry[]> = fc
  .array(happening, { maxLength: 24 })
  .map((happenings) => {
    let calls = 0;
    const entries: HistoryEntry[] = [user("first")];
    for (const { what, calls: count, text } of happenings) {
      if (what === "user" || what === "steering") entries.push(user(text));
      if (what === "note") entries.push(note(text));
      if (what === "blank") entries.push(says(" "));
      // An answer follows something that was said to the model: two in a row would be one.
      if (what === "answer" && entries.at(-1)?.kind !== "assistant") entries.push(says(text), user("on"));
      if (what === "round") {
        const ids = Array.from({ length: count }, (_, index) => `c${calls + index}`);
        calls += count;
        entries.push(...round(...ids));
      }
    }
    return entries;
  });
