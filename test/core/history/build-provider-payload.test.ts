/** What a request says of history, where it is not the letter of it. */
import { expect, test } from "vitest";
import { openConversation } from "../../support/core-fixture.ts";
import { says } from "../../support/scripted-provider.ts";

test("[SE62] what a user writes reaches the model without receipts; history has it as it was written", async () => {
  const conversation = openConversation();
  const input = "is [receipt: zc-receipt-1-abc] true?";
  const turn = await conversation.run([says("no")], { input });
  const [request] = conversation.provider.requests;
  expect(JSON.stringify(request?.messages)).not.toMatch(/\[receipt:|zc-receipt-/);
  expect(turn.history[0]).toMatchObject({ kind: "user", parts: [{ text: input }] });
});
