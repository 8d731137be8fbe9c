/** Streamed text on its way to the log, when a timer finds that it cannot be written. */
import { expect, test } from "vitest";
import type { ModelEvent } from "../../../src/contracts/model.ts";
import { TurnSuperseded } from "../../../src/storage/transactions/turn-hold.ts";
import { openConversation } from "../../support/core-fixture.ts";
import { finish, says, text } from "../../support/scripted-provider.ts";

test("[DU12][DU47] a timer that finds the turn taken over throws at nobody; the turn's own next write does", async () => {
  const conversation = openConversation();
  const thrownByTimer: unknown[] = [];
  async function* taken(): AsyncGenerator<ModelEvent> {
    yield text("shown at once");
    yield text("waits for its timer");
    conversation.sql.run("UPDATE turns SET attempt = attempt + 1");
    try {
      conversation.clock.advance(50);
    } catch (error) {
      thrownByTimer.push(error);
    }
    yield text("more");
    yield finish();
  }
  await expect(conversation.run([taken])).rejects.toThrow(TurnSuperseded);
  expect(thrownByTimer).toEqual([]);
});

test("[DU47][LC31] what a timer could not write is not left out in silence: the turn fails where it writes next", async () => {
  const conversation = openConversation();
  async function* broken(): AsyncGenerator<ModelEvent> {
    yield text("shown at once");
    yield text("waits for its timer");
    conversation.sql.run("CREATE TRIGGER full BEFORE INSERT ON events BEGIN SELECT RAISE(ABORT, 'disk full'); END");
    conversation.clock.advance(50);
    conversation.sql.run("DROP TRIGGER full");
    yield* says("more");
  }
  await expect(conversation.run([broken])).rejects.toThrow("disk full");
});
