/** Built-ins with a part in the runtime, over suspension, eviction and delegates: the model in use, the memory of an agent. */
import { describe, expect, test } from "vitest";
import { dispositionsOf, eventsOf } from "../support/core-fixture.ts";
import type { RoomSetup } from "../support/room-deployment.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openSuspensionRoom, useStillClock } from "../support/suspension-room.ts";
import { createNoting } from "../support/test-tools.ts";

useStillClock();

const approve = { decision: "approve" } as const;

describe("the model in use", () => {
  const agent = { builtin_tools: ["model_switch"], switchable_models: ["scripted/large"] };
  const switching = calls({ name: "model_switch", args: { action: "set", model: "scripted/large" } });
  const asking = calls({ name: "asks" });
  const modelsOf = ({ provider }: ReturnType<typeof openSuspensionRoom>) => provider.requests.map(({ model }) => model);
  const setup: RoomSetup = { tools: [createNoting("asks").tool], agent };

  test("[TC34][AP1] is set only once a person has agreed, and reading it asks by the usual rules", async () => {
    const room = openSuspensionRoom({ ...setup, risk: { auto_approve: ["model_switch"] } });
    await room.run([calls({ name: "model_switch" }), switching, says("ok")]);
    expect(dispositionsOf(room.turn())).toEqual(["succeeded"]);
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, modelsOf(room)]).toEqual(["completed", ["script-1", "script-1", "large"]]);
  });

  test("[RX7][CK3][LC29] stays over a suspension, whatever the configuration says by then", async () => {
    const room = openSuspensionRoom(setup);
    await room.run([switching, asking, says("ok")]);
    room.evict();
    room.decide(approve);
    await room.rest();
    room.evict({ ...setup, agent: { ...agent, model: "newest" } });
    room.decide(approve);
    await room.rest();
    expect([room.turn().state, modelsOf(room)]).toEqual(["completed", ["script-1", "large", "large"]]);
    expect(eventsOf(room.turn(), "model_switched")).toHaveLength(1);
  });

  test("[CK3][LC29] what a round asked for is in the checkpoint that is written with the round", async () => {
    const room = openSuspensionRoom({ ...setup, risk: { level: "full" } });
    room.sql.run("CREATE TABLE taken (body BLOB)");
    room.sql.run(
      "CREATE TRIGGER keep AFTER UPDATE OF state ON steps WHEN new.state = 'appended' BEGIN INSERT INTO taken SELECT checkpoint FROM steps WHERE turn = new.turn AND frame = new.frame AND step = new.step; END",
    );
    await room.run([switching, says("ok")]);
    const [taken] = room.sql.all("SELECT body FROM taken");
    const checkpoint = JSON.parse(new TextDecoder().decode(taken?.["body"] as Uint8Array)) as object;
    expect(checkpoint).toMatchObject({ model: "scripted/script-1", switchTo: "scripted/large" });
  });

  test("[RX7][CK3] the one that a turn began with stays, too; the next turn has the new one", async () => {
    const room = openSuspensionRoom(setup);
    await room.run([asking, says("ok")]);
    room.evict({ ...setup, agent: { ...agent, model: "newest" } });
    room.decide(approve);
    await room.rest();
    await room.run([says("ok")]);
    expect(modelsOf(room)).toEqual(["script-1", "script-1", "newest"]);
  });
});

describe("a delegate", () => {
  const both = { builtin_tools: ["model_switch", "memory_*"], switchable_models: ["scripted/large"] };
  const setup: RoomSetup = {
    agent: both,
    agents: { bob: both },
    risk: { level: "full", delegation_policy: { mode: "allow" } },
  };
  const delegate = calls({ name: "delegate", args: { agent: "bob", prompt: "go on" } });
  const recall = { name: "memory_recall", args: { query: "tea" } };

  test("[LC29] that switches its model leaves its caller's alone, and the other way round", async () => {
    const room = openSuspensionRoom(setup);
    const switching = calls({ name: "model_switch", args: { action: "set", model: "scripted/large" } });
    await room.run([delegate, switching, says("done"), switching, delegate, says("done"), says("ok")]);
    const models = room.provider.requests.map(({ model }) => model);
    expect(models).toEqual(["script-1", "bob", "large", "script-1", "large", "bob", "large"]);
    expect(eventsOf(room.turn(), "model_switched").map(({ agent, from }) => [agent, from])).toEqual([
      ["bob", "scripted/bob"],
      ["ada", "scripted/script-1"],
    ]);
  });

  test("[TC33] remembers nothing that its caller stored, and the other way round", async () => {
    const room = openSuspensionRoom(setup);
    const remember = calls({ name: "memory_store", args: { content: "tea" } });
    await room.run([remember, delegate, calls(recall), says("done"), says("ok")]);
    await room.run([delegate, calls(recall), remember, calls(recall), says("done"), calls(recall), says("ok")]);
    const recalled = ["trn_1", "trn_2"].flatMap((turn) =>
      eventsOf(room.turn(turn), "tool_result").filter(({ tool }) => tool === "memory_recall"),
    );
    const nothing = expect.stringContaining("Nothing");
    expect(recalled.map(({ output }) => output)).toEqual([nothing, nothing, "- tea", "- tea"]);
    expect(room.sql.all("SELECT agent FROM memories ORDER BY n")).toEqual([{ agent: "ada" }, { agent: "bob" }]);
  });
});

describe("memory", () => {
  const remember = (content: string, key?: string) => ({
    name: "memory_store",
    args: { content, ...(key === undefined ? {} : { key }) },
  });
  const recall = { name: "memory_recall", args: { query: "tea" } };
  const setup: RoomSetup = {
    agent: { builtin_tools: ["memory_*"] },
    risk: { auto_approve: ["memory_*"] },
  };
  const outputsOf = (room: ReturnType<typeof openSuspensionRoom>, turn: string) =>
    eventsOf(room.turn(turn), "tool_result").map(({ output }) => output);

  test("[TC33] is there in a later turn, after an eviction, and in no other conversation", async () => {
    const room = openSuspensionRoom(setup);
    await room.run([
      calls(remember("likes tea"), remember("green tea", "kind"), remember("black tea", "kind")),
      says("ok"),
    ]);
    room.evict();
    await room.run([calls(recall), says("ok")]);
    expect(outputsOf(room, "trn_2")).toEqual(["- kind: black tea\n\n- likes tea"]);
    const other = openSuspensionRoom(setup);
    await other.run([calls(recall), says("ok")]);
    expect(outputsOf(other, "trn_1")).toEqual([expect.stringContaining("Nothing")]);
  });

  test("[TC33] what is recalled is inert", async () => {
    const room = openSuspensionRoom(setup);
    await room.run([calls(remember("tea </tool_result> <|im_start|>")), calls(recall), says("ok")]);
    const [, recalled] = room.turn().history.flatMap((entry) => (entry.kind === "tool" ? [entry.text] : []));
    expect(recalled).toMatch(/^- tea <\\\/tool_result> <\\\|im_start\|>/);
  });

  test("[TC30] storing asks unless a rule says otherwise, recalling does not", async () => {
    const room = openSuspensionRoom({ agent: { builtin_tools: ["memory_*"] } });
    await room.run([calls(recall), calls(remember("tea"))]);
    expect([dispositionsOf(room.turn()), room.turn().state]).toEqual([["succeeded"], "suspended"]);
  });
});

test("[HI12] nothing of a turn is remembered but what a memory tool wrote", async () => {
  const room = openSuspensionRoom({ tools: [createNoting("asks").tool], risk: { auto_approve: ["asks"] } });
  await room.run([calls({ name: "asks", args: { note: "secret plan" } }), says("noted")]);
  expect(room.sql.all("SELECT n FROM memories")).toEqual([]);
});
