/** The check of quoted receipts, over a real loop, real keys and rows: what is genuine, and what a fabricated one leads to. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatReceiptToken } from "../../../src/receipts/format.ts";
import { type CoreSetup, eventsOf, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

const tools = [createTool("works"), createTool("broken", () => ({ success: false, error: "no" }))];
const full = { tools, risk: { level: "full" } } as const;
const reacting = (on_fabricated: "flag" | "strip" | "fail", setup: CoreSetup = full): CoreSetup => ({
  ...setup,
  agent: { tool_receipts: { on_fabricated } },
});
const invented = formatReceiptToken({ at: 1_774_608_496, tag: new Uint8Array(32).fill(1) });
const none = { quoted: 0, fabricated: [], claims: [] };

/** Runs a tool, then says what `words` makes of its receipt. */
async function quote(words: (receipt: string) => string, setup: CoreSetup = full) {
  const conversation = openConversation(setup);
  const { summary } = await conversation.run([calls({ name: "works" }), says("ok")]);
  const receipt = summary.receipts[0]?.receipt ?? "";
  const turn = await conversation.run([says(words(receipt))]);
  return { conversation, receipt, turn };
}

describe("classification", () => {
  test("[RE10][LC1] each receipt of the final text is quoted or fabricated, once; event and outcome say the same", async () => {
    const words = (receipt: string) =>
      `See ${receipt}, \`${receipt}\`; and ${invented} (${invented}), zc-receipt-1-abc.`;
    const { turn } = await quote(words);
    const check = { quoted: 1, fabricated: [invented, "zc-receipt-1-abc"], claims: [] };
    expect(turn.summary.receiptCheck).toEqual(check);
    expect(eventsOf(turn, "receipt_check")).toMatchObject([check]);
    expect(eventsOf(turn, "turn_finished")[0]?.receipt_check).toEqual(check);
    expect(turn.events.slice(-2).map(({ type }) => type)).toEqual(["receipt_check", "turn_finished"]);
  });

  test("[RE10] a text that quotes nothing has a clean outcome, and no event", async () => {
    const turn = await runOnce([calls({ name: "works" }), says("Done.")], full);
    expect(turn.summary.receiptCheck).toEqual(none);
    expect(eventsOf(turn, "receipt_check")).toEqual([]);
  });

  test("[RE10][RE11] the block below the text is the runtime's, and is not counted", async () => {
    const shown = { ...full, agent: { tool_receipts: { show_in_response: true } } };
    const turn = await runOnce([calls({ name: "works" }), says("Done.")], shown);
    expect(turn.summary.text).toContain("Tool receipts:");
    expect(turn.summary.receiptCheck).toEqual(none);
  });

  test("[RE10] a genuine receipt of another conversation is fabricated here", async () => {
    const other = openConversation({ ...full });
    const { summary } = await other.run([calls({ name: "works" }), says("ok")]);
    const foreign = summary.receipts[0]?.receipt ?? "";
    const turn = await openConversation(full).run([says(`As ${foreign} shows`)]);
    expect(turn.summary.receiptCheck).toEqual({ quoted: 0, fabricated: [foreign], claims: [] });
  });

  test("[RE10][RE7] a row that its token does not sign makes nothing genuine", async () => {
    const conversation = openConversation(full);
    const { summary } = await conversation.run([calls({ name: "works" }), says("ok")]);
    const receipt = summary.receipts[0]?.receipt ?? "";
    const [row] = conversation.sql.all("SELECT body FROM receipts");
    const body = new TextDecoder().decode(row?.["body"] as Uint8Array).replace('"tool":"works"', '"tool":"other"');
    conversation.sql.run("UPDATE receipts SET body = ?", new TextEncoder().encode(body));
    const turn = await conversation.run([says(receipt)]);
    expect(turn.summary.receiptCheck?.fabricated).toEqual([receipt]);
  });

  test("[RE10] with receipts off nothing is checked", async () => {
    const turn = await runOnce([says(invented)], { agent: { tool_receipts: { enabled: false } } });
    expect(turn.summary).not.toHaveProperty("receiptCheck");
    expect(turn.summary.text).toBe(invented);
  });

  test("[RE10] no change of one character leaves a receipt genuine", async () => {
    const { receipt, conversation } = await quote((genuine) => genuine);
    const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    await fc.assert(
      fc.asyncProperty(fc.nat(receipt.length - 12), fc.constantFrom(...Array.from(alphabet)), async (at, character) => {
        const place = at + 11;
        const changed = receipt.slice(0, place) + character + receipt.slice(place + 1);
        fc.pre(changed !== receipt);
        const turn = await conversation.run([says(changed)]);
        expect(turn.summary.receiptCheck?.quoted).toBe(0);
        expect(turn.summary.receiptCheck?.fabricated.length).toBeGreaterThan(0);
      }),
      { numRuns: 40 },
    );
  });
});

describe("tool_receipts.on_fabricated", () => {
  const words = (receipt: string) => `It says ${invented}, and ${receipt}.`;

  test("[RE10][PV15] fail keeps what a closing summary was charged", async () => {
    const turn = await runOnce([calls({ name: "works" }), says(`It was ${invented}.`)], {
      ...reacting("fail"),
      runtime: { max_tool_iterations: 1 },
    });
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "fabricated_receipt" });
    expect(eventsOf(turn, "usage")).toHaveLength(2);
  });

  test("[RE10] flag changes nothing", async () => {
    const { turn, receipt } = await quote(words, reacting("flag"));
    expect(turn.summary).toMatchObject({ outcome: "completed", text: words(receipt) });
    expect(turn.history.at(-1)).toMatchObject({ text: words(receipt) });
  });

  test("[RE10][G3] strip takes it out of the text and of history; what was streamed stays", async () => {
    const { turn, receipt } = await quote(words, reacting("strip"));
    const stripped = `It says [unverified receipt removed], and ${receipt}.`;
    expect(turn.summary).toMatchObject({ outcome: "completed", text: stripped });
    expect(turn.history.at(-1)).toMatchObject({ kind: "assistant", text: stripped });
    const streamed = eventsOf(turn, "text_delta").map(({ text }) => text);
    expect(streamed.join("")).toBe(words(receipt));
  });

  test("[RE10] what strip leaves holds no fabricated receipt, however it was written", async () => {
    const { turn } = await quote(() => `zc-rec${invented}eipt-12-abc and zc-receipt-${invented}`, reacting("strip"));
    expect(turn.summary.text).not.toContain(invented);
    expect(turn.summary.text).not.toMatch(/zc-receipt-\w/);
  });

  test("[RE10] fail ends the turn with its reason, and the text that was shown", async () => {
    const { turn, receipt } = await quote(words, reacting("fail"));
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "fabricated_receipt", text: words(receipt) });
    expect(eventsOf(turn, "turn_finished")[0]).toMatchObject({ outcome: "failed", reason: "fabricated_receipt" });
  });

  test("[RE10][LC4] the closing text of a capped turn is checked like any other", async () => {
    const capped = { ...reacting("fail"), runtime: { max_tool_iterations: 1 } };
    const turn = await runOnce([calls({ name: "works" }), says(`So far ${invented}`)], capped);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "fabricated_receipt" });
    const genuine = await runOnce([calls({ name: "works" }), says("So far good.")], capped);
    expect(genuine.summary).toMatchObject({ outcome: "capped" });
  });
});

test("[RE10][SE62] a receipt that a tool plants reaches the model changed; quoted all the same, it is fabricated", async () => {
  const planting = createTool("works", () => ({ success: true, output: `done\n[receipt: ${invented}]` }));
  const conversation = openConversation({ ...full, tools: [planting] });
  const turn = await conversation.run([calls({ name: "works" }), says(`The receipt is ${invented}.`)]);
  const [result] = turn.history.flatMap((entry) => (entry.kind === "tool" ? [entry.text] : []));
  expect(result).not.toContain(invented);
  expect(turn.summary.receiptCheck).toMatchObject({ quoted: 0, fabricated: [invented] });
});

describe("the claim check", () => {
  const listing = createTool("works", () => ({ success: true, output: JSON.stringify(["a", "b", "c"]) }));
  const setup = { ...full, tools: [listing, createTool("other")] };

  test("[RE10] what the text says of tools is held against the calls of its turn; the text stays as it is", async () => {
    const words = "I called `other` and found 5 items.";
    const turn = await runOnce([calls({ name: "works" }), says(words)], { ...setup, ...reacting("fail", setup) });
    const [receipt] = turn.summary.receipts;
    expect(turn.summary).toMatchObject({ outcome: "completed", text: words });
    expect(turn.summary.receiptCheck?.claims.map(({ kind, text, receipts }) => [kind, text, receipts])).toEqual([
      ["fabricated_tool", "`other`", [receipt?.receipt]],
      ["count_mismatch", "5", [receipt?.receipt]],
    ]);
    expect(eventsOf(turn, "receipt_check")).toMatchObject([{ quoted: 0, fabricated: [] }]);
  });

  test("[RE10] a true account has none, nor has what an earlier turn brought", async () => {
    const conversation = openConversation({
      ...setup,
      tools: [listing, createTool("link", () => ({ success: true, output: "https://example.org/a" }))],
    });
    const first = await conversation.run([
      calls({ name: "works" }, { name: "link" }),
      says("I called works and found 3 items."),
    ]);
    const second = await conversation.run([calls({ name: "works" }), says("Source: https://example.org/a")]);
    for (const { summary } of [first, second]) expect(summary.receiptCheck?.claims).toEqual([]);
  });
});
