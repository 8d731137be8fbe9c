/** Random kills: a server that is killed while it works, again and again, brings everything that it accepted to its end. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectHistory, readWireLog } from "../support/history-checker.ts";
import { readConversations } from "../support/stored-conversations.ts";
import { type CrashRoom, openCrashRoom, type ToolKind, toolKinds } from "./crash-room.ts";

const seed = Number(process.env["CRASH_SEED"] ?? 1);
const kills = Number(process.env["CRASH_RANDOM"] ?? 1);
const turnsPerLife = 10;

/** The same numbers for the same seed. */
function createRandom(state: number): (below: number) => number {
  let next = state;
  return (below) => {
    next = (Math.imul(next, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((next / 2 ** 32) * below);
  };
}

const random = createRandom(seed);
const posted: string[] = [];
let room: CrashRoom;

/** One key for each conversation: a post that got no answer may be made again. */
async function post(conversation: string, kind: ToolKind): Promise<void> {
  const headers = { prefer: "respond-async", "idempotency-key": conversation };
  const path = `/v1/conversations/${conversation}/turns`;
  const accepted = await room
    .client()
    .post(path, { input: room.input(kind, conversation) }, headers)
    .catch(() => undefined);
  if (accepted?.ok === true) posted.push(conversation);
}

beforeAll(
  async () => {
    room = await openCrashRoom(() => false);
    for (let life = 0; life < kills; life += 1) {
      await room.start();
      // The first one waits for the whole Worker to be loaded.
      await post(`random-kill-${seed}-${life}-first-padded`, "plain");
      const posts = Array.from({ length: turnsPerLife }, async (_, at) => {
        // Drawn before anything is waited for, so that a seed is the same plan each time.
        const kind = toolKinds[random(toolKinds.length)] ?? "plain";
        await sleep(random(300));
        await post(`random-kill-${seed}-${life}-${at}-padded`, kind);
      });
      await sleep(100 + random(1200));
      await room.kill();
      await Promise.all(posts);
    }
    await room.start();
    await room.rest(60_000);
    await room.stop();
  },
  60_000 + kills * 30_000,
);
afterAll(async () => await room.close());

test(`[G2][G5][DU50] seed ${seed}, ${kills} kills: whatever was accepted has ended, and nothing was done twice`, () => {
  const ended = readConversations(room.persistTo, (sql) => {
    const [next] = sql.all("SELECT min(at_ms) AS at FROM deadlines");
    const alarmAt = typeof next?.["at"] === "number" ? next["at"] : undefined;
    expectHistory({ sql, effects: [], requests: [], observed: new Map(), alarmAt });
    return readWireLog(sql).filter(({ type }) => type === "turn_finished").length;
  });
  expect(posted.filter((conversation) => ended.get(conversation) !== 1)).toEqual([]);
  expect(posted.length).toBeGreaterThan(0);
  for (const [body, times] of countBodies()) expect([body, times]).toEqual([body, 1]);
});

/** Of calls that may not be run again: those of `idempotent` turns are told by their keys. */
function countBodies(): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const body of room.outside.effects)
    if (!room.outside.keys.has(body)) counts.set(body, (counts.get(body) ?? 0) + 1);
  return counts;
}
