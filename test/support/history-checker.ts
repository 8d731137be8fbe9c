/** The history checker: rows, log, effects and provider requests of a conversation that ended, whatever it went through. Rules: HC1–HC12, HC15, HC16. */
import { expect } from "vitest";
import { canonicalJson } from "../../src/receipts/canonical-json.ts";
import { digestText } from "../../src/receipts/digest.ts";
import type { ModelRequest } from "../../src/contracts/model.ts";
import { readEvents } from "../../src/storage/event-store.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { findAnthropicFaults } from "./anthropic-shape.ts";
import type { Effect } from "./crash-script.ts";
import { findGeminiFaults } from "./gemini-shape.ts";
import { findPayloadFaults } from "./openai-shape.ts";
import { toAnthropic, toGemini, toOpenAi } from "./payload-shapes.ts";
import { expectSound } from "./storage-checker.ts";

export interface Witnessed {
  readonly sql: SqlPort;
  readonly effects: readonly Effect[];
  readonly requests: readonly ModelRequest[];
  /** Every event as it was once durable, by its number. */
  readonly observed: ReadonlyMap<number, string>;
  readonly alarmAt: number | undefined;
}

export function readWireLog(sql: SqlPort): readonly WireTurnEvent[] {
  return readLines(sql).map((body): WireTurnEvent => JSON.parse(body));
}

function readLines(sql: SqlPort): readonly string[] {
  const lines: string[] = [];
  for (;;) {
    const page = readEvents(sql, { after: lines.length, limit: 500 });
    if (page.length === 0) return lines;
    lines.push(...page.map(({ body }) => body));
  }
}

/** For a conversation in which nothing is open any more. */
export function expectHistory(witnessed: Witnessed): void {
  const { sql, observed, requests } = witnessed;
  const lines = readLines(sql);
  const log = lines.map((body): WireTurnEvent => JSON.parse(body));
  expect([...observed].map(([seq, body]) => lines[seq - 1] === body)).toEqual([...observed].map(() => true));
  expectSound(sql);
  expectOneAtATime(log);
  expectOneText(log);
  expectOwner(log);
  expectEffects(witnessed, log);
  for (const request of requests) expectValidRequest(request);
  expectAtRest(witnessed);
}

/** HC12: between a turn's start and its end no other turn runs. */
function expectOneAtATime(log: readonly WireTurnEvent[]): void {
  let runs: string | undefined;
  for (const { type, turn } of log) {
    if (type === "turn_started") {
      expect(runs).toBeUndefined();
      runs = turn;
    }
    if (type === "turn_finished" && runs === turn) runs = undefined;
  }
}

/** Whoever joins the pieces of a message, and drops what was taken back, has the text that the turn ended with (DU21). */
function expectOneText(log: readonly WireTurnEvent[]): void {
  for (const finished of log) {
    if (finished.type !== "turn_finished" || finished.text === "") continue;
    const messages = new Map<string, string>();
    for (const event of log) {
      if (event.turn !== finished.turn) continue;
      if (event.type === "message_reset") messages.delete(event.message_id);
      if (event.type === "text_delta")
        messages.set(event.message_id, (messages.get(event.message_id) ?? "") + event.text);
    }
    if (finished.outcome === "completed" || finished.outcome === "capped")
      expect([...messages.values()].map((text) => text.trim())).toContain(finished.text.trim());
  }
}

/** HC16. */
function expectOwner(log: readonly WireTurnEvent[]): void {
  expect(new Set(log.map(({ conversation }) => conversation)).size).toBeLessThanOrEqual(1);
}

/** HC5–HC8. */
function expectEffects({ sql, effects }: Witnessed, log: readonly WireTurnEvent[]): void {
  for (const callId of new Set(effects.map((effect) => effect.callId))) {
    const own = effects.filter((effect) => effect.callId === callId);
    const keys = new Set(own.map(({ key }) => key));
    expect([callId, keys.size]).toEqual([callId, 1]);
    if (keys.has(undefined)) expect([callId, own.length]).toEqual([callId, 1]);
    expect(own.length).toBeLessThanOrEqual(3);
  }
  for (const { callId, callState, args } of effects) {
    // A superseded instance may bring about late what it had begun; what it began had its row.
    expect(["started", "settled"]).toContain(callState);
    expect(log.some((event) => event.type === "tool_call" && event.call_id === callId)).toBe(true);
    expectApproved(sql, callId, digestText(canonicalJson(args)));
  }
  expectDecidedFirst(sql, log);
}

function expectApproved(sql: SqlPort, callId: string, digest: string): void {
  const rows = sql.all("SELECT state, args_digest FROM approvals WHERE call_id = ?", callId);
  if (rows.length > 0) expect(rows).toEqual([{ state: "decided", args_digest: digest }]);
}

/** HC8: no call of a batch started before all of the batch was decided. */
function expectDecidedFirst(sql: SqlPort, log: readonly WireTurnEvent[]): void {
  const batchOf = new Map(
    sql
      .all("SELECT call_id, turn, frame, step, started_ms FROM calls")
      .map((row) => [
        String(row["call_id"]),
        { batch: [row["turn"], row["frame"], row["step"]].join("."), ran: row["started_ms"] !== null },
      ]),
  );
  const begun = new Set<string>();
  for (const event of log) {
    if (!("call_id" in event) || typeof event.call_id !== "string") continue;
    const { batch = "", ran = false } = batchOf.get(event.call_id) ?? {};
    if (event.type === "tool_call" && ran) begun.add(batch);
    if (event.type === "approval_requested" || event.type === "approval_decided")
      expect([event.type, begun.has(batch)]).toEqual([event.type, false]);
  }
}

/** HC10, for every shape. */
function expectValidRequest({ messages }: ModelRequest): void {
  expect(findPayloadFaults(toOpenAi(messages))).toEqual([]);
  expect(findAnthropicFaults(toAnthropic(messages))).toEqual([]);
  expect(findGeminiFaults(toGemini(messages))).toEqual([]);
}

/** HC15: nothing is left that would wake the object, but what sweeps and what sends. */
function expectAtRest({ sql, alarmAt }: Witnessed): void {
  expect(sql.all("SELECT kind FROM deadlines WHERE kind NOT IN ('gc', 'outbox')")).toEqual([]);
  const [left] = sql.all("SELECT min(at_ms) AS at FROM deadlines");
  expect(alarmAt ?? null).toBe(left?.["at"] ?? null);
}

/** What a crash adds to a log, or cuts differently: of all else nothing may be missing and nothing be there twice (CK17). */
const ofCrashes = new Set([
  "text_delta",
  "reasoning_delta",
  "message_reset",
  "turn_recovered",
  "turn_suspended",
  "turn_resumed",
]);
const cutShort = new Set(["outcome_unknown", "interrupted", "expired", "timed_out", "cancelled"]);

function readStory(sql: SqlPort): readonly string[] {
  return readWireLog(sql)
    .filter(({ type }) => !ofCrashes.has(type))
    .map((event) => `${event.type} ${"call_id" in event ? event.call_id : ""}`)
    .toSorted();
}

/** A conversation in which no call was cut short has the events of the same one without a crash, each of them once. */
export function expectSameStory({ sql }: Witnessed, calm: Witnessed): void {
  const ends = readWireLog(sql).flatMap((event) => (event.type === "tool_result" ? [event.disposition] : []));
  if (!ends.some((disposition) => disposition !== null && cutShort.has(disposition)))
    expect(readStory(sql)).toEqual(readStory(calm.sql));
}
