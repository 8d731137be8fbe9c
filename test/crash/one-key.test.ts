/** One key, one turn: posts side by side, and posts whose answer was lost with the server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConversations } from "../support/stored-conversations.ts";
import { type CrashRoom, openCrashRoom } from "./crash-room.ts";
import { conversationAt } from "./worker/crash-points.ts";

const lostBefore = conversationAt("accept.before_commit", "plain", "one-key-padded");
const lostBehind = conversationAt("accept.after_commit", "plain", "one-key-padded");
const sideBySide = "fifty-posts-of-one-key";

let room: CrashRoom;
/** Turns of each conversation, as they were on disk before anybody asked again. */
let kept: ReadonlyMap<string, number>;

const countTurns = (): ReadonlyMap<string, number> =>
  readConversations(room.persistTo, (sql) => sql.all("SELECT n FROM turns").length);

async function post(conversation: string): Promise<{ readonly status: number; readonly turn?: string }> {
  const headers = { prefer: "respond-async", "idempotency-key": "the-key" };
  const body = { input: room.input("plain", conversation) };
  const response = await room.client().post(`/v1/conversations/${conversation}/turns`, body, headers);
  const { turn }: { turn?: string } = await response.json();
  return { status: response.status, ...(turn === undefined ? {} : { turn }) };
}

beforeAll(async () => {
  room = await openCrashRoom(() => false);
  await room.start("kill");
  await Promise.all([lostBefore, lostBehind].map((conversation) => post(conversation).catch(() => undefined)));
  await room.kill();
  await room.start();
  await room.rest(60_000);
  kept = countTurns();
}, 150_000);
afterAll(async () => {
  await room.stop();
  await room.close();
});

test("[G1][G2] what was committed before its answer was lost has ended by itself, and the same post gets the same turn", async () => {
  expect(kept.get(lostBehind)).toBe(1);
  expect(await post(lostBehind)).toMatchObject({ turn: "trn_1" });
  expect(countTurns().get(lostBehind)).toBe(1);
  expect(room.outside.effects.filter((body) => body === `${lostBehind} 1`)).toHaveLength(1);
});

test("[G1] what was not committed is not there, and the same post makes the turn", async () => {
  expect(kept.get(lostBefore) ?? 0).toBe(0);
  expect(await post(lostBefore)).toMatchObject({ turn: "trn_1" });
  await room.rest(30_000);
  expect(countTurns().get(lostBefore)).toBe(1);
});

test("[G1] fifty posts side by side are one turn", async () => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => post(sideBySide)));
  expect(new Set(answers.map(({ turn }) => turn))).toEqual(new Set(["trn_1"]));
  await room.rest(30_000);
  expect(countTurns().get(sideBySide)).toBe(1);
  expect(room.outside.effects.filter((body) => body.startsWith(sideBySide))).toHaveLength(2);
});
