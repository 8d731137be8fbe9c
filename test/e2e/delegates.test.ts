/** A delegate two levels down on a server that is killed: what it waits for and what it runs is found again in place, nothing runs twice. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import { onlyEvent, typesOf } from "../support/api-client.ts";
import { type LifecycleRoom, onlyApprovalOf, openConversation, openLifecycleRoom } from "../support/lifecycle-room.ts";
import { askCalls, askWords, type Errand } from "../support/obedient-model.ts";
import { findPayloadFaults } from "../support/openai-shape.ts";

let room: LifecycleRoom;
beforeAll(async () => {
  room = await openLifecycleRoom({
    agents: { ben: { model_provider: "model" }, cy: { model_provider: "model" } },
    risk_profiles: {
      default: {
        auto_approve: ["note", "slow", "delegate"],
        approval_timeout_secs: 600,
        delegation_policy: { mode: "allow" },
      },
    },
  });
}, 120_000);
afterAll(() => room.close());

const handTo = (agent: string, ...errands: readonly Errand[]): Errand => ({
  name: "delegate",
  args: { agent, prompt: askCalls(...errands) },
});
const toolsOf = (events: readonly WireTurnEvent[]): readonly string[] =>
  events.flatMap((event) => {
    if (event.type === "tool_call") return [`${event.agent} calls ${event.tool}`];
    return event.type === "tool_result" ? [`${event.agent} ${event.tool} ${event.disposition}`] : [];
  });

describe("killed and started again", () => {
  test("[AP20][CK10][CK16][RE12] while it waits for an approval at the bottom, then approved: one execution, the receipts and the order of a turn that nobody interrupted", async () => {
    const before = openConversation(room.client(), "delegates");
    const effect = `${before.id} tea`;
    const errand = handTo("ben", handTo("cy", room.errand("record", effect), room.errand("note", `${effect} noted`)));
    const asked = await before.turn(askCalls(errand, room.errand("note", `${effect} last`)));
    expect([asked.body.state, room.outside.effects.filter((note) => note.startsWith(effect))]).toEqual([
      "suspended",
      [],
    ]);
    await room.killAndRestart();
    const after = openConversation(room.client(), "delegates", before.id);
    expect((await after.read(asked.body.turn)).state).toBe("suspended");
    const approval = onlyApprovalOf({ body: await after.read(asked.body.turn) });
    expect((await after.decide(approval, { decision: "approve" })).status).toBe(200);
    const events = await after.end(asked.body.turn);
    expect(room.outside.effects.filter((note) => note.startsWith(effect))).toEqual([
      effect,
      `${effect} noted`,
      `${effect} last`,
    ]);
    expect(toolsOf(events)).toEqual([
      "model calls delegate",
      "ben calls delegate",
      "cy calls record",
      "cy record succeeded",
      "cy calls note",
      "cy note succeeded",
      "ben delegate succeeded",
      "model delegate succeeded",
      "model calls note",
      "model note succeeded",
    ]);
    const requested = onlyEvent(events, "approval_requested");
    expect(requested).toMatchObject({
      agent: "cy",
      parent_agent: "ben",
      parent_calls: ["call_trn_1_1", "call_trn_1_3"],
    });
    const { receipts, outcome } = onlyEvent(events, "turn_finished");
    expect([outcome, receipts.map(({ tool }) => tool)]).toEqual([
      "completed",
      ["record", "note", "delegate", "delegate", "note"],
    ]);
    for (const { receipt } of receipts) {
      const claim = { conversation: after.id, receipt };
      const verified = await room.client().post("/v1/receipts/verify", claim);
      expect(await verified.json()).toMatchObject({ verdict: "valid" });
    }
    for (const request of room.model.requests) expect(findPayloadFaults(request)).toEqual([]);
  });

  test("[CK16][CK14] killed while a tool runs two levels down: its outcome is unknown, its frame and those above go on and succeed", async () => {
    const before = openConversation(room.client(), "delegates-slow");
    const slow = { name: "slow", args: { ms: 60_000 } };
    const effect = `${before.id} first`;
    const turn = await before.start(askCalls(handTo("ben", handTo("cy", room.errand("note", effect), slow))));
    await before.until(turn, (event) => event.type === "tool_call" && event.tool === "slow");
    await room.killAndRestart();
    const after = openConversation(room.client(), "delegates-slow", before.id);
    const events = await after.end(turn);
    expect(toolsOf(events).slice(-4)).toEqual([
      "cy calls slow",
      "cy slow outcome_unknown",
      "ben delegate succeeded",
      "model delegate succeeded",
    ]);
    expect(room.outside.effects.filter((note) => note.startsWith(effect))).toEqual([effect]);
    expect(onlyEvent(events, "turn_recovered")).toMatchObject({
      agent: "model",
      calls: [{ disposition: "outcome_unknown" }],
    });
    expect(typesOf(events).at(-1)).toBe("turn_finished");
  });

  test("[CK15][DU21][CK16] killed while it speaks: its text is taken back and asked for again, in its own frame", async () => {
    const before = openConversation(room.client(), "delegates-words");
    const words = { name: "delegate", args: { agent: "ben", prompt: askWords(40) } };
    const turn = await before.start(askCalls(words));
    await before.until(turn, ({ type, agent }) => type === "text_delta" && agent === "ben");
    await room.killAndRestart();
    const events = await openConversation(room.client(), "delegates-words", before.id).end(turn);
    const place = { agent: "ben", parent_agent: "model", parent_calls: ["call_trn_1_1"], iteration: 1 };
    expect(onlyEvent(events, "message_reset")).toMatchObject(place);
    expect(onlyEvent(events, "tool_result")).toMatchObject({
      disposition: "succeeded",
      output: "word ".repeat(40).trim(),
    });
    expect(onlyEvent(events, "turn_finished")).toMatchObject({ outcome: "completed", iterations: 3 });
  });
});
