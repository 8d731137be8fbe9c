/** The matrix: points of a turn × kinds of tools × ways to end an object, on real servers; then nothing is sent, and every turn ends. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { expectHistory, readWireLog } from "../support/history-checker.ts";
import { readConversations } from "../support/stored-conversations.ts";
import { type CrashMode, type CrashRoom, openCrashRoom, type ToolKind, toolKinds } from "./crash-room.ts";
import { conversationAt } from "./worker/crash-points.ts";

/** Effects of the first call and of the second, by point; where an idempotent tool differs it says so. */
interface Expected {
  readonly kinds: readonly ToolKind[];
  readonly effects?: { readonly [Kind in ToolKind]?: readonly [first: number, second: number] };
}
const all = toolKinds;
const ran = { plain: [1, 1], idempotent: [1, 1], delegate: [1, 1] } as const;

const matrix: Readonly<Record<string, Expected>> = {
  "accept.after_commit": { kinds: ["plain"], effects: ran },
  "turn.after_start": { kinds: ["plain"], effects: ran },
  "model.after_reserve": { kinds: ["plain", "delegate"], effects: ran },
  "model.before_commit": { kinds: ["plain"], effects: ran },
  "model.after_commit": { kinds: all, effects: ran },
  "prepare.after_hooks": { kinds: ["gated"], effects: { gated: [0, 1] } },
  "decide.after_commit": { kinds: ["gated"], effects: { gated: [0, 1] } },
  "approval.after_decision": { kinds: ["gated"], effects: { gated: [1, 1] } },
  "call.before_started": { kinds: ["plain", "idempotent", "gated", "delegate"], effects: { ...ran, gated: [1, 1] } },
  "call.after_started": {
    kinds: ["plain", "idempotent", "gated", "client", "delegate"],
    effects: { plain: [0, 0], idempotent: [1, 1], gated: [0, 0] },
  },
  "call.in_flight": { kinds: ["plain", "idempotent"], effects: { plain: [1, 0], idempotent: [2, 1] } },
  "call.after_effect": {
    kinds: ["plain", "idempotent", "gated", "delegate"],
    effects: { plain: [1, 0], idempotent: [2, 1], gated: [1, 0] },
  },
  "call.after_settle": {
    kinds: ["plain", "idempotent", "gated", "delegate"],
    effects: { ...ran, gated: [1, 1] },
  },
  "batch.after_last_settle": { kinds: ["plain", "client", "delegate"], effects: ran },
  "final.before_commit": { kinds: ["plain"], effects: ran },
  "final.after_commit": { kinds: ["plain"], effects: ran },
  "cancel.after_request": { kinds: ["plain"] },
  "steer.after_commit": { kinds: ["plain"] },
};
const cells = Object.entries(matrix).flatMap(([point, { kinds, effects }]) =>
  kinds.map((kind) => ({ point, kind, effects: effects?.[kind] })),
);
type Cell = (typeof cells)[number];

/** Points that are met only once somebody has done something. */
const decided = new Set([
  "approval.after_decision",
  "call.before_started",
  "call.after_started",
  "call.after_effect",
  "call.after_settle",
]);
const spoken = new Map([
  ["cancel.after_request", ["cancel", ""]],
  ["steer.after_commit", ["messages", { text: "and hurry" }]],
] as const);
const inFlight = "call.in_flight";
const reachedWithinMs = 40_000;
const restedWithinMs = 60_000;

/** In full by `npm run test:crash`; a process that is killed takes its time to come back. */
const modes: readonly CrashMode[] = process.env["CRASH_SEED"] === undefined ? ["abort"] : ["kill", "abort"];

describe.each(modes)("%s", (mode) => {
  const own = cells.filter(({ point }) => mode === "kill" || point !== inFlight);
  const nameOf = ({ point, kind }: Cell): string => conversationAt(point, kind, `${mode}-padded-`);
  let room: CrashRoom;
  let held = true;

  beforeAll(async () => {
    room = await openCrashRoom(
      (body) => held && /(?:in_flight|cancel--after_request|steer--after_commit)-.* 1$/.test(body),
    );
    await room.start(mode);
    await Promise.all(own.map((cell) => bring(room, { ...cell, conversation: nameOf(cell) })));
    held = false;
    await restart(room, mode);
    await room.rest(restedWithinMs);
    await room.stop();
  }, 180_000);
  afterAll(async () => await room.close());

  test.each(own)("[G2][G5][DU49] $point, $kind: ends by itself, and what it did is told as it was", (cell) => {
    const conversation = nameOf(cell);
    const first = room.outside.effects.filter((body) => body === `${conversation} 1`).length;
    const second = room.outside.effects.filter((body) => body === `${conversation} 2`).length;
    expect([first, second]).toEqual(cell.effects ?? [first, second]);
    expect(first).toBeLessThanOrEqual(cell.kind === "idempotent" ? 2 : 1);
    expect(second).toBeLessThanOrEqual(1);
    expect(room.outside.keys.get(`${conversation} 1`)?.size ?? 1).toBe(1);
    const checked = readConversations(room.persistTo, (sql, id) => {
      if (id !== conversation) return false;
      const [next] = sql.all("SELECT min(at_ms) AS at FROM deadlines");
      const alarmAt = typeof next?.["at"] === "number" ? next["at"] : undefined;
      expectHistory({ sql, effects: [], requests: [], observed: new Map(), alarmAt });
      return readWireLog(sql).some(({ type }) => type === "turn_finished");
    });
    expect(checked.get(conversation)).toBe(true);
  });
});

/** A new process on the same data, or the same one, whose objects come back by themselves. */
async function restart(room: CrashRoom, mode: CrashMode): Promise<void> {
  if (mode === "abort") return;
  await room.kill();
  await room.start();
}

/** Posts the turn and does what it takes to bring the object to its point. */
async function bring(room: CrashRoom, cell: Cell & { readonly conversation: string }): Promise<void> {
  const { point, kind, conversation } = cell;
  const path = `/v1/conversations/${conversation}`;
  const client = room.client();
  const body = { input: room.input(kind, conversation) };
  const headers = { prefer: "respond-async", "idempotency-key": conversation };
  await client.post(`${path}/turns`, body, headers).catch(() => undefined);
  const isHeld = point === inFlight || spoken.has(point as never);
  if (isHeld) await until(() => room.outside.effects.includes(`${conversation} 1`), conversation);
  const [verb, said] = spoken.get(point as "cancel.after_request") ?? [];
  if (verb !== undefined) await client.post(`${path}/turns/trn_1/${verb}`, said).catch(() => undefined);
  if (kind === "gated" && decided.has(point)) await approve(room, path);
  if (point !== inFlight)
    await until(() => room.output().includes(`,${conversation.length}:${conversation},`), conversation);
}

async function approve(room: CrashRoom, path: string): Promise<void> {
  for (let tries = 0; tries < 150; tries += 1) {
    const response = await room.client().get(`${path}/turns/trn_1`);
    const { open_requests: open }: { open_requests?: { approvals: { approval_id: string }[] } } = await response.json();
    const approval = open?.approvals[0]?.approval_id;
    if (approval !== undefined)
      return void (await room
        .client()
        .post(`${path}/approvals/${approval}`, { decision: "approve" })
        .catch(() => undefined));
    await sleep(100);
  }
}

async function until(there: () => boolean, what: string): Promise<void> {
  const deadline = Date.now() + reachedWithinMs;
  while (!there()) {
    if (Date.now() > deadline) throw new Error(`${what} did not come to its point`);
    await sleep(50);
  }
}
