/** What running calls tell of themselves: thinned, bounded, and nothing once they have settled. */
import { describe, expect, test } from "vitest";
import type { ToolContext } from "../../../src/contracts/tool.ts";
import type { ToolProgress } from "../../../src/contracts/turn-event.ts";
import { type CoreConversation, openConversation } from "../../support/core-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

interface Told {
  readonly shown: ToolProgress[];
  readonly cleared: string[];
  readonly conversation: CoreConversation;
}

/** One call of a tool that works as `act` does; what was on the board by its end. */
async function work(act: (context: ToolContext, conversation: CoreConversation) => unknown): Promise<Told> {
  const shown: ToolProgress[] = [];
  const cleared: string[] = [];
  const progress = { show: (told: ToolProgress) => shown.push(told), clear: (id: string) => cleared.push(id) };
  const it = createTool("it", (_args, context) => {
    act(context, conversation);
    return "done";
  });
  const conversation: CoreConversation = openConversation({
    risk: { level: "full" },
    tools: [it],
    execution: { progress },
  });
  await conversation.run([calls({ name: "it" }), says("ok")]);
  return { shown, cleared, conversation };
}
const dataOf = ({ shown }: Told) => shown.map(({ data }) => data);

describe("progress of a call", () => {
  test("[TC12] the first is shown at once, then the newest every 200 ms", async () => {
    const told = await work(({ progress }, { clock }) => {
      for (let n = 0; n < 50; n += 1) {
        progress(n);
        clock.advance(10);
      }
    });
    expect(dataOf(told)).toEqual([0, 19, 39]);
  });

  test("[TC12] one that waited goes out by itself when its time has come", async () => {
    const told = await work(({ progress }, { clock }) => {
      progress("a");
      progress("b");
      progress("c");
      clock.advance(199);
      expect(clock.now()).toBeGreaterThan(0);
      clock.advance(1);
    });
    expect(dataOf(told)).toEqual(["a", "c"]);
  });

  test("[TC12] says whose it is, and is no event of the log", async () => {
    const told = await work(({ progress }) => progress({ done: 1, of: 3 }));
    expect(told.shown).toMatchObject([
      { type: "tool_progress", turn: "trn_1", agent: "ada", callId: "call_trn_1_1", data: { done: 1, of: 3 } },
    ]);
    expect(told.conversation.sql.all("SELECT 1 FROM events WHERE type = 'tool_progress'")).toEqual([]);
  });

  test("[TC12] once the call has settled nothing is shown, and what was is taken down", async () => {
    let late: ToolContext["progress"] = () => undefined;
    const told = await work(({ progress }) => {
      late = progress;
      progress(1);
      progress(2);
    });
    late(3);
    told.conversation.clock.advance(1000);
    expect(dataOf(told)).toEqual([1]);
    expect(told.cleared).toEqual(["call_trn_1_1"]);
  });

  test.each<[string, unknown]>([
    ["over 16 KiB", "x".repeat(16 * 1024)],
    ["no JSON", 1n],
    ["undefined", undefined],
  ])("[TC12] what is %s is not shown, and does not fail the call", async (_what, data) => {
    const told = await work(({ progress }) => {
      progress(data as never);
      progress("fits");
    });
    expect(dataOf(told)).toEqual(["fits"]);
    expect(told.conversation.sql.all("SELECT disposition FROM calls")).toEqual([{ disposition: "succeeded" }]);
  });

  test("[TC12] it is a copy: what the tool changes later is not what was told", async () => {
    const told = await work(({ progress }, { clock }) => {
      const data = { n: 1 };
      progress("first");
      progress(data);
      data.n = 2;
      clock.advance(200);
    });
    expect(dataOf(told)).toEqual(["first", { n: 1 }]);
  });
});
