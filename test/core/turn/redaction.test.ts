/** Redaction through a whole turn: raw where the model, the store and the signature look, redacted where people do. */
import { describe, expect, test } from "vitest";
import { verifyReceipt } from "../../../src/receipts/verify.ts";
import { findReceipt } from "../../../src/storage/receipt-store.ts";
import { type CoreSetup, eventsOf, keys, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createNoting, createTool } from "../../support/test-tools.ts";

const SECRET = "s3cr3t-of-the-product-0042";
const SHAPED = "Authorization: Bearer abc.def-ghi-jkl";
const KEYED = "API_KEY=abcdefgh";
const secrets = [SECRET];
const full = { risk: { level: "full" }, secrets } as const;
const everything = `${SECRET} ${SHAPED} ${KEYED} password=short`;

const bodiesOf = (events: readonly unknown[]): string => JSON.stringify(events);
const hides = (shown: string): void => {
  expect(shown).not.toContain(SECRET);
  expect(shown).not.toContain("abc.def-ghi");
  expect(shown).not.toContain("abcdefgh");
};

describe("a secret", () => {
  const it = createNoting("it");
  const args = { note: everything, api_key: { x: 1 }, nested: [{ cookie: "c".repeat(20) }], max_tokens: 100 };

  test("[RE20][RE22][RE23][RE24][RE25] in arguments: raw to the tool and the store, redacted in events", async () => {
    const turn = await runOnce([calls({ name: "it", args }), says("ok")], { ...full, tools: [it.tool] });
    expect(it.ran).toEqual([args]);
    expect(turn.history.find(({ kind, ...entry }) => kind === "assistant" && "calls" in entry)).toMatchObject({
      calls: [{ argumentsText: JSON.stringify(args) }],
    });
    hides(bodiesOf(turn.events));
    expect(eventsOf(turn, "tool_call")[0]?.arguments).toEqual({
      note: expect.stringContaining("API_KEY=abcd*[REDACTED] password=short"),
      api_key: "[REDACTED]",
      nested: [{ cookie: "[REDACTED]" }],
      max_tokens: 100,
    });
  });

  test("[RE20][RE27][RE5] in output: raw to the model and under the signature; the event still names its receipt", async () => {
    const tool = createTool("it", () => ({ success: true, output: everything, data: { token: "t", note: SECRET } }));
    const turn = await runOnce([calls({ name: "it" }), says("ok")], { ...full, tools: [tool] });
    const { conversation } = turn;
    const sent = conversation.provider.requests[1]?.messages.at(-1);
    expect(sent).toMatchObject({ role: "tool", results: [{ text: expect.stringContaining(everything) }] });
    const [result] = eventsOf(turn, "tool_result");
    hides(bodiesOf(turn.events));
    expect(result).toMatchObject({ chars: everything.length, data: { token: "[REDACTED]", note: "[REDACTED:own]" } });
    const token = turn.summary.receipts[0]?.receipt ?? "";
    expect(result?.receipt).toBe(token);
    expect(bodiesOf(turn.events).split(token)).toHaveLength(3);
    const body = findReceipt(conversation.sql, token)?.receipt.body;
    const check = { keys, scope: conversation.scope, claim: { receipt: token, result: everything } };
    expect(verifyReceipt(body === undefined ? check : { ...check, body })).toMatchObject({ verdict: "valid" });
  });

  test("[RE20][SE70][RE26] in text: no piece of it in any delta, however it streams; raw in history", async () => {
    const answer = `The key is ${SECRET} and ${KEYED} it is.`;
    for (const size of [1, 3, 7]) {
      const chunks = Array.from({ length: Math.ceil(answer.length / size) }, (_, n) =>
        answer.slice(n * size, n * size + size),
      );
      const turn = await runOnce([says(...chunks)], full);
      hides(bodiesOf(turn.events));
      const streamed = eventsOf(turn, "text_delta")
        .map(({ text }) => text)
        .join("");
      expect(streamed).toBe("The key is [REDACTED:own] and API_KEY=abcd*[REDACTED] it is.");
      expect(eventsOf(turn, "turn_finished")[0]?.text).toBe(streamed);
      expect(turn.history.at(-1)).toMatchObject({ kind: "assistant", text: answer });
    }
  });

  test("[RE20] in what the user says: raw to the model, redacted in the events that repeat it", async () => {
    const turn = await runOnce([says("ok")], { ...full, input: `use ${SECRET}` });
    hides(bodiesOf(turn.events));
    expect(JSON.stringify(turn.conversation.provider.requests[0]?.messages)).toContain(SECRET);
  });

  test("[RE25] in a summary too, and in arguments that nobody could read", async () => {
    const setup: CoreSetup = { ...full, runtime: { max_tool_iterations: 1 }, tools: [it.tool] };
    const turn = await runOnce(
      [calls({ name: "it", argumentsText: `{"note": "${SECRET}` }), says(`So: ${SECRET}`)],
      setup,
    );
    expect(turn.summary.outcome).toBe("capped");
    hides(bodiesOf(turn.events));
  });

  test("[SE72][RE20] in a provider's fault: in no event", async () => {
    async function* refusing() {
      yield { type: "fault", fault: { kind: "not_configured", message: `bad key ${SECRET}` } } as const;
    }
    const turn = await runOnce([refusing], full);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error" });
    hides(bodiesOf(turn.events));
  });
});

describe("what is no secret", () => {
  test("[RE20] with `redact_events` off events stay as they are", async () => {
    const turn = await runOnce([calls({ name: "it", args: { note: KEYED } }), says("ok")], {
      ...full,
      runtime: { redact_events: false },
      tools: [createTool("it")],
    });
    expect(eventsOf(turn, "tool_call")[0]?.arguments).toEqual({ note: KEYED });
  });

  test("[RE27] ids, digests and cursors pass unchanged", async () => {
    const id = "a".repeat(64);
    const turn = await runOnce([calls({ name: "it", id: "p_1", args: { digest: id } }), says(`see ${id}`)], {
      ...full,
      tools: [createTool("it", () => id)],
    });
    expect(eventsOf(turn, "tool_call")).toMatchObject([{ provider_call_id: "p_1", arguments: { digest: id } }]);
    expect(eventsOf(turn, "tool_result")).toMatchObject([{ output: id }]);
    expect(turn.summary.text).toBe(`see ${id}`);
  });

  test("[RE29] nothing redacted comes back: the next turn's request has the raw words", async () => {
    const conversation = openConversation({ ...full, tools: [createTool("it", () => everything)] });
    await conversation.run([calls({ name: "it", args: { note: SECRET } }), says(`It is ${SECRET}`)]);
    await conversation.run([says("ok")]);
    const request = JSON.stringify(conversation.provider.requests.at(-1)?.messages);
    expect(request.split(SECRET)).toHaveLength(4);
    expect(request).not.toContain("[REDACTED");
  });
});
