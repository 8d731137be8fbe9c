/** Any turn that waits, whatever comes to it: as if nobody had waited, one pair a call, a history that every provider takes. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ModelMessage } from "../../src/contracts/model.ts";
import { toMessages } from "../../src/core/history/build-provider-payload.ts";
import { readHistory } from "../../src/storage/message-store.ts";
import { readTurnCheckpoint } from "../../src/storage/step-store.ts";
import { findAnthropicFaults } from "../support/anthropic-shape.ts";
import { anyPlan, anyWildPlan, playPlan } from "../support/any-wait.ts";
import { comparable } from "../support/compare-turns.ts";
import { findGeminiFaults } from "../support/gemini-shape.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";
import { toAnthropic, toGemini, toOpenAi } from "../support/payload-shapes.ts";
import { expectSound } from "../support/storage-checker.ts";
import { type SuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { propertyRuns } from "../support/property-runs.ts";

useStillClock();

const faultsOf = (messages: readonly ModelMessage[]): readonly string[] => [
  ...findPayloadFaults(toOpenAi(messages)),
  ...findAnthropicFaults(toAnthropic(messages)),
  ...findGeminiFaults(toGemini(messages)),
];

const numRuns = propertyRuns(150);
const hour = 3_600_000;

/** An hour goes by, the object goes away and comes back: nothing of the turn is left but its rows. */
function goAway(room: SuspensionRoom): void {
  const checkpoint = readTurnCheckpoint(room.sql, 1);
  expect(JSON.parse(JSON.stringify(checkpoint ?? null))).toEqual(checkpoint ?? null);
  room.pass(hour);
  room.evict();
}

test(
  "[CK10][CK3][RX8][CK9][DG10] evicted before every step, or never: the same history, dispositions and events",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyPlan, async (plan) => {
        const slow = await playPlan(plan, goAway);
        const instant = await playPlan(plan, () => undefined);
        expect(comparable(slow.turn())).toEqual(comparable(instant.turn()));
        expect(slow.provider.requests).toHaveLength(instant.provider.requests.length);
      }),
      { numRuns },
    );
  },
);

test(
  "[HI1][HI2][CP2][EV2][EV8][CK10][DG10] any mix of ends: slots in order, one pair a call, valid for three shapes",
  { timeout: 300_000 },
  async () => {
    await fc.assert(
      fc.asyncProperty(anyWildPlan, async (plan) => {
        const room = await playPlan(plan, () => undefined);
        expect(room.active()).toBeUndefined();
        expectSound(room.sql);
        for (const { messages } of room.provider.requests) expect(faultsOf(messages)).toEqual([]);
        const last = room.sql.all("SELECT id FROM turns ORDER BY n DESC LIMIT 1")[0]?.["id"];
        const { history, events } = room.turn(String(last));
        expect(faultsOf(toMessages(history))).toEqual([]);
        expect(events.at(-1)?.type).toBe("turn_finished");
        const asked = room.sql.all("SELECT count(*) AS n FROM calls WHERE frame = ''")[0]?.["n"];
        expect(history.filter(({ kind }) => kind === "tool")).toHaveLength(Number(asked));
        for (const { frame, turn } of room.sql.all("SELECT DISTINCT frame, turn FROM messages WHERE frame <> ''")) {
          const below = readHistory(room.sql, { frame: String(frame), turn: Number(turn), maxBytes: 1e9 });
          expect(faultsOf(toMessages(below))).toEqual([]);
        }
      }),
      { numRuns },
    );
  },
);
