/** Receipts under redaction: the signature is over what the tool gave, and whoever sees it redacted can still look it up. */
import { expect, test } from "vitest";
import { digestText } from "../../../src/receipts/digest.ts";
import { listReceipts } from "../../../src/storage/receipt-store.ts";
import { eventsOf, openConversation } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

test("[RE13][RE14] the event is redacted and names the receipt, which signs the raw result; the token itself passes the redactor", async () => {
  const secret = "a-value-that-nobody-may-see";
  const output = `the key is ${secret}`;
  const tools = [createTool("works", () => ({ success: true, output }))];
  const conversation = openConversation({ tools, risk: { level: "full" }, secrets: [secret] });
  const turn = await conversation.run([calls({ name: "works" }), says("ok")]);
  const [event] = eventsOf(turn, "tool_result");
  expect(event?.output).not.toContain(secret);
  const [stored] = listReceipts(conversation.sql, { after: 0, limit: 10 });
  expect(stored?.receipt.body.result).toBe(digestText(output));
  expect(event?.receipt).toBe(stored?.receipt.token);
  const quoted = await conversation.run([says(`As ${stored?.receipt.token} shows.`)]);
  expect(eventsOf(quoted, "turn_finished")[0]?.text).toContain(stored?.receipt.token);
  expect(quoted.summary.receiptCheck).toMatchObject({ quoted: 1, fabricated: [] });
});
