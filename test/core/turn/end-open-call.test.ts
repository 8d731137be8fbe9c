/** What is said of a call that was found open, by how far it had come. */
import { expect, test } from "vitest";
import { endOpenCall } from "../../../src/core/turn/end-open-call.ts";
import { makeCall } from "../../support/storage-fixture.ts";

const call = makeCall("t", 0);
const prepared = { tool: "renamed", args: { n: 2 } };

test("[DU10][EV2] one that had started has been announced: its result alone, under the name that it ran by", () => {
  const { outcome, events } = endOpenCall({ call, state: "started", prepared });
  expect(outcome).toMatchObject({ disposition: "outcome_unknown", success: false });
  expect(events).toMatchObject([{ type: "tool_result", callId: call.callId, tool: "renamed", output: outcome.shown }]);
});

test.each(["awaiting_approval", "ready"] as const)("[DU10][EV3][EV4] one that was %s: both, as prepared", (state) => {
  const { outcome, events } = endOpenCall({ call, state, prepared });
  expect(outcome.disposition).toBe("interrupted");
  expect(events).toMatchObject([
    { type: "tool_call", tool: "renamed", arguments: { n: 2 } },
    { type: "tool_result", tool: "renamed", disposition: "interrupted" },
  ]);
});

test("[DU10][EV4] one that was only proposed: as the model made it, also where its arguments were no JSON", () => {
  const announced = { type: "tool_call", tool: call.tool, arguments: call.args };
  expect(endOpenCall({ call, state: "proposed" }).events[0]).toMatchObject(announced);
  const { args: _none, ...unreadable } = { ...call, argumentsText: "{" };
  expect(endOpenCall({ call: unreadable, state: "proposed" }).events[0]).toMatchObject({ arguments: "{" });
});
