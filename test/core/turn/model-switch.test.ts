/** A model switch in a running turn: when it takes effect, what it changes, what it leaves alone. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf, openConversation, runOnce } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

const set = (model: string) => ({ name: "model_switch", args: { action: "set", model } });
const setup = {
  agent: { builtin_tools: ["model_switch"], switchable_models: ["scripted/large", "scripted/vendor/x", "gone/m"] },
  risk: { level: "full" },
} as const;

describe("a model switch", () => {
  test("[LC29][TC34] takes effect with the next iteration, with the history kept", async () => {
    const turn = await runOnce([calls(set("scripted/vendor/x")), calls({ name: "model_switch" }), says("ok")], setup);
    const { requests } = turn.conversation.provider;
    expect(requests.map(({ model }) => model)).toEqual(["script-1", "vendor/x", "vendor/x"]);
    expect(requests[1]?.messages).toHaveLength(3);
    expect(requests[2]?.messages.slice(0, 3)).toEqual(requests[1]?.messages);
    expect(eventsOf(turn, "model_switched")).toMatchObject([
      { from: "scripted/script-1", to: "scripted/vendor/x", iteration: 2, agent: "ada" },
    ]);
    expect(eventsOf(turn, "tool_result")[1]?.output).toBe("In use: scripted/vendor/x");
  });

  test("[LC29] of several in one round the last counts, and one for the model in use is none", async () => {
    const turn = await runOnce(
      [
        calls(set("scripted/vendor/x"), set("scripted/large")),
        calls(set("scripted/vendor/x"), set("scripted/large"), { name: "model_switch" }),
        says("ok"),
      ],
      setup,
    );
    expect(turn.conversation.provider.requests.map(({ model }) => model)).toEqual(["script-1", "large", "large"]);
    expect(eventsOf(turn, "model_switched").map(({ to }) => to)).toEqual(["scripted/large"]);
  });

  test("[LC29] a binding that cannot be made fails the turn, rounds kept", async () => {
    const turn = await runOnce([calls(set("gone/m"))], setup);
    expect(turn.summary).toMatchObject({ outcome: "failed", reason: "provider_error" });
    expect(turn.history.map(({ kind }) => kind)).toEqual(["user", "assistant", "tool"]);
    expect(turn.conversation.log).toContainEqual(expect.objectContaining({ code: "provider_fault", level: "error" }));
  });

  test("[LC29] the next turn begins with the agent's own model again", async () => {
    const conversation = openConversation(setup);
    await conversation.run([calls(set("scripted/large")), says("ok")]);
    await conversation.run([says("ok")]);
    expect(conversation.provider.requests.map(({ model }) => model)).toEqual(["script-1", "large", "script-1"]);
  });

  test("[TC34] a model that is not on the agent's list is refused by the tool, and nothing switches", async () => {
    const turn = await runOnce([calls(set("scripted/huge")), says("ok")], setup);
    expect([dispositionsOf(turn), eventsOf(turn, "model_switched")]).toEqual([["failed"], []]);
  });

  test("[LC29] a tool of another making that answers like it switches nothing", async () => {
    const tool = createTool("model_switch", () => ({ success: true, output: "", data: { model: "scripted/large" } }));
    const turn = await runOnce([calls({ name: "model_switch" }), says("ok")], {
      risk: { level: "full" },
      tools: [tool],
    });
    expect([dispositionsOf(turn), eventsOf(turn, "model_switched")]).toEqual([["succeeded"], []]);
  });
});
