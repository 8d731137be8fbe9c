/** MCP servers behind a real Worker: the official server as the peer, stateless and with sessions; a killed process between. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type LifecycleRoom, openConversation, openLifecycleRoom } from "../support/lifecycle-room.ts";
import { askCalls } from "../support/obedient-model.ts";
import { type OfficialServer, type OfficialTool, startOfficialServer } from "../support/official-mcp-server.ts";

const echo: OfficialTool = {
  inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  outputSchema: { type: "object", properties: { words: { type: "string", pattern: "^(a+)+$" } }, required: ["words"] },
  run: ({ words }) => ({
    content: [{ type: "text", text: `it said ${String(words)}` }],
    structuredContent: { words },
  }),
};
const picture: OfficialTool = {
  run: () => ({
    content: [
      { type: "text", text: "a picture" },
      { type: "image", data: Buffer.from("picture").toString("base64"), mimeType: "image/png" },
    ],
  }),
};

let stateless: OfficialServer;
let stateful: OfficialServer;
let room: LifecycleRoom;
beforeAll(async () => {
  [stateless, stateful] = await Promise.all([
    startOfficialServer({ echo, picture }),
    startOfficialServer({ echo }, { sessions: true }),
  ]);
  const servers = [
    { name: "now", url: stateless.url },
    { name: "old", url: stateful.url },
  ];
  room = await openLifecycleRoom({
    agents: { guest: { model_provider: "model", risk_profile: "guest", mcp_bundles: ["all"] } },
    risk_profiles: { guest: { level: "full" } },
    mcp: { servers, bundles: { all: { servers: ["now", "old"] } } },
    reachable: [stateless.port, stateful.port],
  });
});
afterAll(async () => {
  await room.close();
  await Promise.all([stateless.stop(), stateful.stop()]);
});

const run = async (conversation: ReturnType<typeof openConversation>, name: string, args: object = {}) => {
  const { body } = await conversation.turn(askCalls({ name, args }), { agent: "guest" });
  const log = await conversation.log(body.turn);
  return log.flatMap((event) => (event.type === "tool_result" ? [event] : []))[0];
};

describe.each(["now", "old"])("the server %s", (name) => {
  test("[MC1][EX9][TC4] a turn calls it from workerd, with a receipt and its data", async () => {
    const conversation = openConversation(room.client(), `mcp-${name}`);
    const result = await run(conversation, `${name}__echo`, { words: "aaa" });
    expect(result).toMatchObject({ disposition: "succeeded", tool: `${name}__echo` });
    expect(result?.receipt).toBeDefined();
    expect(JSON.stringify(result)).toContain("it said aaa");
  });
});

test("[EX8][MC14] an image is named by type, size and digest", async () => {
  const result = await run(openConversation(room.client(), "mcp-picture"), "now__picture");
  expect(JSON.stringify(result)).toMatch(/a picture\\n\[IMAGE:image\/png 7 bytes sha256=[0-9a-f]{16}\]/);
});

test("[MC11][MC2] the process is killed between two turns: listing and session are there again", async () => {
  const conversation = openConversation(room.client(), "mcp-killed");
  await run(conversation, "old__echo", { words: "a" });
  const before = stateful.asked.filter((method) => method === "tools/list" || method === "initialize").length;
  await room.killAndRestart();
  const again = openConversation(room.client(), "mcp-killed", conversation.id);
  const result = await run(again, "old__echo", { words: "aa" });
  expect(result).toMatchObject({ disposition: "succeeded" });
  expect(stateful.asked.filter((method) => method === "tools/list" || method === "initialize")).toHaveLength(before);
});
