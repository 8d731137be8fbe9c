/** The ActivatedToolSet in whole turns: what a batch may call behind a search, in which order and under which names. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { defineHook } from "../../../src/config.ts";
import { hiddenTools } from "../../../src/policy/tool-filter-groups.ts";
import { listActivated } from "../../../src/storage/activated-store.ts";
import { type CoreConversation, dispositionsOf, eventsOf, resultsOf, runOnce } from "../../support/core-fixture.ts";
import {
  createStub,
  deferred,
  foreignIn,
  load,
  loadIn,
  offeredIn,
  openDeferred,
  search,
  systemIn,
} from "../../support/deferred-fixture.ts";
import { calls, says } from "../../support/scripted-provider.ts";
import { createTool } from "../../support/test-tools.ts";

const full = { risk: { level: "full" } } as const;
const setOf = ({ sql }: CoreConversation): readonly string[] =>
  listActivated(sql, { agent: "ada", frame: "" }).map(({ tool }) => tool);
const byTool = (turn: Parameters<typeof eventsOf>[0]) =>
  eventsOf(turn, "tool_result").map(({ tool, disposition }) => [tool, disposition]);

describe("a batch with a search", () => {
  const parallel = { runtime: { parallel_tools: true } };

  test("[CP8][DI1] a search, then the tool it finds: in order, both succeed", async () => {
    const found = createStub("srv__found");
    const batch = calls(load("srv__found"), { name: "srv__found" }, { name: "srv__found", args: { n: 2 } });
    const turn = await runOnce([batch, says("ok")], { ...full, ...deferred, ...parallel, tools: [found.tool] });
    expect(dispositionsOf(turn)).toEqual(["succeeded", "succeeded", "succeeded"]);
    expect(turn.events.filter(({ type }) => type.startsWith("tool_")).map(({ type }) => type)).toEqual(
      [1, 2, 3].flatMap(() => ["tool_call", "tool_result"]),
    );
    expect(found.ran).toEqual([{}, { n: 2 }]);
  });

  test("[CP8] the other way round the tool is not available", async () => {
    const found = createStub("srv__found");
    const batch = calls({ name: "srv__found" }, load("srv__found"));
    const turn = await runOnce([batch, says("ok")], { ...full, ...deferred, tools: [found.tool] });
    expect(Object.fromEntries(byTool(turn))).toEqual({ srv__found: "not_available", tool_search: "succeeded" });
    expect(resultsOf(turn)[0]).toContain("Load it with tool_search first");
    expect(found.ran).toEqual([]);
  });

  test("[CP8][DI13] a search that finds nothing leaves the stub what it was", async () => {
    const found = createStub("srv__found");
    const batch = calls(search("nothing"), { name: "srv__found" });
    const turn = await runOnce([batch, says("ok")], { ...full, ...deferred, tools: [found.tool] });
    expect([dispositionsOf(turn), found.ran]).toEqual([["succeeded", "not_available"], []]);
    expect(resultsOf(turn)[1]).toContain("Load it with tool_search first");
  });

  test.each([
    ["hidden", full, { hidden: ["srv__found"] }],
    ["excluded", { risk: { level: "full", excluded_tools: ["srv__*"] } }, {}],
  ] as const)("[CP8] behind a search a stub that is %s stays not available", async (_how, setup, turnSetup) => {
    const conversation = openDeferred(["srv__found", "a__x"], setup);
    const turn = await conversation.run([calls(load("a__x"), { name: "srv__found" }), says("ok")], turnSetup);
    expect(Object.fromEntries(byTool(turn))).toEqual({ tool_search: "succeeded", srv__found: "not_available" });
  });

  test("[DM11] a stub that is called without a search is not available, and the model is told how it would be", async () => {
    const turn = await openDeferred(["a__x"]).run([calls({ name: "a__x" }), says("ok")]);
    expect([dispositionsOf(turn), resultsOf(turn)[0]]).toEqual([
      ["not_available"],
      'The tool "a__x" is not loaded, so the call was not run. Load it with tool_search first.',
    ]);
  });

  test("[RG11] a stub that is not loaded is not suggested; once it is, it may be", async () => {
    const conversation = openDeferred(["files__read", "files__list"]);
    const script = [
      calls({ name: "file__read" }),
      calls(load("files__read")),
      calls({ name: "file__read" }),
      says("ok"),
    ];
    const [before, , after] = resultsOf(await conversation.run(script));
    expect(before).not.toContain("files__read");
    expect(after).toContain("Did you mean files__read?");
  });
});

describe("the set", () => {
  test("[TS1][TS15] in the order of activation behind the registry, in later turns too", async () => {
    const conversation = openDeferred(["z__1", "z__2"], {
      tools: [createTool("b"), createTool("a"), createStub("z__1").tool, createStub("z__2").tool],
    });
    await loadIn(conversation, ["z__2", "z__1"]);
    await conversation.run([says("ok")]);
    expect(offeredIn(conversation).slice(-4)).toEqual(["b", "a", "z__2", "z__1"]);
  });

  test("[TS15] an entry that is not granted is inert and keeps its place", async () => {
    const conversation = openDeferred(["a__1", "a__2", "a__3"]);
    await loadIn(conversation, ["a__3", "a__1", "a__2"]);
    const narrowing = { excludedTools: ["a__1"] };
    const turn = await conversation.run([calls({ name: "a__1" }, { name: "a__2" }), says("ok")], { narrowing });
    expect(foreignIn(conversation)).toEqual(["a__3", "a__2"]);
    expect(dispositionsOf(turn)).toEqual(["not_available", "succeeded"]);
    await conversation.run([says("ok")]);
    expect(foreignIn(conversation)).toEqual(["a__3", "a__1", "a__2"]);
  });

  test("[TS8][FG1][FG5] a turn whose message does not match hides what is active; one that matches needs no new search", async () => {
    const conversation = openDeferred(["web__browse", "a__x"]);
    const groups = [{ mode: "dynamic", tools: ["web__*"], keywords: ["browse"] }] as const;
    const hiddenBy = (message: string) => ({
      hidden: [...hiddenTools(groups, [{ name: "web__browse", origin: "mcp" }], message)],
    });
    await loadIn(conversation, ["web__browse"], hiddenBy("please browse"));
    expect(foreignIn(conversation)).toEqual(["web__browse"]);
    const turn = await conversation.run(
      [calls({ name: "web__browse" }, { name: "browse" }), says("ok")],
      hiddenBy("hi"),
    );
    expect(foreignIn(conversation)).toEqual([]);
    expect(dispositionsOf(turn)).toEqual(["not_available", "not_available"]);
    const again = await conversation.run([calls({ name: "web__browse" }), says("ok")], hiddenBy("browse"));
    expect(dispositionsOf(again)).toEqual(["succeeded"]);
  });

  const always = {
    runtime: { tool_filter_groups: [{ mode: "always" as const, tools: ["a__*"] }] },
  };

  test("[TS10][TS11] what a group always shows is active from the start, once, and not listed", async () => {
    const conversation = openDeferred(["b__x", "a__x", "a__y"], always);
    for (const turn of [1, 2]) {
      const { requests } = conversation.provider;
      await conversation.run([says("ok")]);
      expect([turn, requests.length, foreignIn(conversation)]).toEqual([turn, turn, ["a__x", "a__y"]]);
      expect(systemIn(conversation)).toContain("<deferred_tools>\nb__x - ");
      expect(systemIn(conversation)).not.toContain("a__x -");
    }
    expect(setOf(conversation)).toEqual(["a__x", "a__y"]);
  });

  test("[TS9][TS10] it activates nothing that is not granted, nor does a dynamic group", async () => {
    const groups = [
      { mode: "always" as const, tools: ["a__*"] },
      { mode: "dynamic" as const, tools: ["b__*"], keywords: [""] },
    ];
    const conversation = openDeferred(["a__x", "b__x"], {
      risk: { level: "full", excluded_tools: ["a__x"] },
      runtime: { tool_filter_groups: groups },
    });
    await conversation.run([says("ok")]);
    expect(setOf(conversation)).toEqual([]);
  });

  const bareNames = ["a__get", "b__get", "c__put"];
  const bare = async (loaded: readonly string[], name: string, setup: Parameters<typeof openDeferred>[1] = {}) => {
    const conversation = openDeferred(bareNames, setup);
    await loadIn(conversation, loaded);
    const turn = await conversation.run([calls({ name }), says("ok")]);
    return byTool(turn)[0];
  };

  test("[TS16][DM12] the part behind a server's name leads to the one active tool that has it", async () => {
    expect(await bare(["a__get", "c__put"], "get")).toEqual(["a__get", "succeeded"]);
    expect(await bare(["a__get", "b__get"], "get")).toEqual(["get", "unknown_tool"]);
    expect(await bare(["a__get", "b__get"], "a__get")).toEqual(["a__get", "succeeded"]);
    expect(await bare(["c__put"], "get")).toEqual(["get", "unknown_tool"]);
  });

  test("[TS16][TS1] the registry's own name comes first", async () => {
    const get = createTool("get");
    const tools = [get, createStub("a__get").tool];
    expect(await bare(["a__get"], "get", { tools })).toEqual(["get", "succeeded"]);
  });

  test("[TS4][RG6] a bare name is not available where it or what it leads to is excluded", async () => {
    for (const excludedTools of [["a__get"], ["GET"]]) {
      const conversation = openDeferred(bareNames);
      await loadIn(conversation, ["a__get"]);
      const turn = await conversation.run([calls({ name: "get" }), says("ok")], { narrowing: { excludedTools } });
      expect([excludedTools, dispositionsOf(turn)]).toEqual([excludedTools, ["not_available"]]);
    }
  });

  test("[RG12][CP7] a hook reaches a stub by the same rules", async () => {
    const hooks = [
      defineHook({
        name: "lead",
        on: "before_tool_call",
        run: ({ tool }) => (tool === "b" ? { tool: "a__x" } : undefined),
      }),
    ];
    const conversation = openDeferred(["a__x"], { execution: { hooks } });
    const turn = await conversation.run([calls({ name: "b" }), calls(load("a__x")), calls({ name: "b" }), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["not_available", "succeeded", "succeeded"]);
  });
});

const names = ["a__1", "a__2", "b__1", "b__2", "c__1"];

test("[TS1][TS15][TS23][DM9] whatever is loaded and withheld: the set only grows at its end, and specs follow it", async () => {
  const turns = fc.array(
    fc.record({ wanted: fc.array(fc.subarray(names, { minLength: 1 }), { maxLength: 3 }), barred: fc.subarray(names) }),
    { minLength: 1, maxLength: 4 },
  );
  await fc.assert(
    fc.asyncProperty(turns, async (plan) => {
      const conversation = openDeferred(names);
      let set: readonly string[] = [];
      for (const { wanted, barred } of plan) {
        const from = conversation.provider.requests.length;
        const script = [...wanted.map((chosen) => calls(load(...chosen))), says("ok")];
        await conversation.run(script, { narrowing: { excludedTools: barred } });
        const now = setOf(conversation);
        expect(now.slice(0, set.length)).toEqual(set);
        expect(new Set(now).size).toBe(now.length);
        expect(now.slice(set.length).filter((name) => barred.includes(name))).toEqual([]);
        const requests = conversation.provider.requests.slice(from);
        for (const [index, { system, tools }] of requests.entries()) {
          const before = requests[index - 1] ?? requests[0];
          expect(system).toBe(before?.system);
          expect(tools.slice(0, before?.tools.length)).toEqual(before?.tools);
        }
        expect(foreignIn(conversation)).toEqual(now.filter((name) => !barred.includes(name)));
        set = now;
      }
    }),
    { numRuns: 40 },
  );
});
