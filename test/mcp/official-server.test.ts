/** Turns with the official server as the peer, in both eras. */
import { acceptedContent, inputRequired } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, test, vi } from "vitest";
import { dispositionsOf, eventsOf, resultsOf } from "../support/core-fixture.ts";
import { offeredIn, openMcpRoom } from "../support/mcp-room.ts";
import {
  type OfficialServer,
  type OfficialTool,
  type ToolRunContext,
  startOfficialServer,
} from "../support/official-mcp-server.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { startSseServer } from "../support/sse-mcp-server.ts";

let server: OfficialServer | undefined;
afterEach(() => server?.stop());

const text = (words: string) => ({ content: [{ type: "text", text: words }] });
/** In the way of its era: by an answer that wants more, or by a request of its own. */
const asking = (requestedSchema: object): OfficialTool => ({
  run: async (_args, context) => {
    const params = { message: "Which color?", requestedSchema } as Parameters<
      ToolRunContext["mcpReq"]["elicitInput"]
    >[0];
    if (context.mcpReq.envelope === undefined) {
      const answer = await context.mcpReq.elicitInput(params);
      return text(JSON.stringify(answer.content));
    }
    const answered = acceptedContent(context.mcpReq.inputResponses, "color");
    return answered === undefined
      ? inputRequired({ inputRequests: { color: inputRequired.elicit(params as never) } })
      : text(JSON.stringify(answered));
  },
});
const echo: OfficialTool = {
  inputSchema: { type: "object", properties: { words: { type: "string" } }, required: ["words"] },
  run: ({ words }) => text(`it said ${String(words)}`),
};

describe.each([
  ["stateless", false],
  ["with sessions", true],
])("a server that is %s", (_how, sessions) => {
  test("[EX9][MC1][MC6][TS2] its tools are offered under its name and called by theirs", async () => {
    server = await startOfficialServer({ echo, other: echo }, { sessions });
    const room = openMcpRoom({ files: server });
    const turn = await room.run([calls({ name: "files__echo", args: { words: "hello" } }), says("ok")]);
    expect(offeredIn(room)).toEqual(["files__echo", "files__other"]);
    expect(dispositionsOf(turn)).toEqual(["succeeded"]);
    expect(resultsOf(turn)[0]).toContain("it said hello");
  });

  test("[EX8][TC8][TC9] structured content is the data, as long as it is what the tool promised", async () => {
    const outputSchema = { type: "object", properties: { n: { type: "number" } }, required: ["n"] };
    const count: OfficialTool = { outputSchema, run: () => ({ content: [], structuredContent: { n: 3 } }) };
    server = await startOfficialServer({ count }, { sessions });
    const room = openMcpRoom({ files: server });
    const turn = await room.run([calls({ name: "files__count" }), says("ok")]);
    expect(eventsOf(turn, "tool_result")[0]).toMatchObject({ disposition: "succeeded", data: { n: 3 } });
    expect(resultsOf(turn)[0]).toContain('"n": 3');
  });

  test("[MC16] a tool that throws is a failed call with its words", async () => {
    const run = (): never => {
      throw new Error("no disk");
    };
    server = await startOfficialServer({ broken: { run } }, { sessions });
    const room = openMcpRoom({ files: server });
    const turn = await room.run([calls({ name: "files__broken" }), says("ok")]);
    expect(dispositionsOf(turn)).toEqual(["failed"]);
    expect(resultsOf(turn)[0]).toContain("no disk");
  });

  test("[MC9] a hanging call ends at its limit, the server's own signal fires, and the next call works", async () => {
    let stopped = 0;
    const hang: OfficialTool = {
      run: (_args, context) =>
        new Promise((resolve) => {
          context.mcpReq.signal.addEventListener("abort", () =>
            resolve({ content: [{ type: "text", text: String((stopped += 1)) }] }),
          );
        }),
    };
    server = await startOfficialServer({ hang, echo }, { sessions });
    const room = openMcpRoom({ files: server }, { server: { tool_timeout_secs: 1 } });
    const script = [calls({ name: "files__hang" }), calls({ name: "files__echo", args: { words: "on" } }), says("ok")];
    expect(dispositionsOf(await room.run(script))).toEqual(["timed_out", "succeeded"]);
    await vi.waitFor(() => expect(stopped).toBe(1));
  });
});

describe.each([
  ["stateless", false],
  ["with sessions", true],
])("a server that asks the user, %s", (_how, sessions) => {
  const requestedSchema = {
    type: "object" as const,
    properties: { color: { type: "string" as const, default: "green" } },
    required: ["color"],
  };

  test.each([
    ["decline", "failed", "Error"],
    ["defaults", "succeeded", "green"],
  ] as const)("[MC1][MW4] under `%s` its call %s, and nobody is asked", async (elicitation, disposition, told) => {
    server = await startOfficialServer({ ask: asking(requestedSchema) }, { sessions });
    const room = openMcpRoom({ files: server }, { mcp: { elicitation } });
    const turn = await room.run([calls({ name: "files__ask" }), says("ok")]);
    expect(turn.state).toBe("completed");
    expect(dispositionsOf(turn)).toEqual([disposition]);
    expect(resultsOf(turn)[0]).toContain(told);
  });
});

test("[MC1][MW3] the stateless era: no handshake, and each request says what it is", async () => {
  server = await startOfficialServer({ echo });
  const room = openMcpRoom({ files: server });
  await room.run([calls({ name: "files__echo", args: { words: "x" } }), says("ok")]);
  room.evict();
  await room.run([calls({ name: "files__echo", args: { words: "y" } }), says("ok")]);
  expect(server.asked).not.toContain("initialize");
  expect(server.asked.filter((method) => method === "server/discover")).toHaveLength(1);
  const called = server.headers[server.asked.indexOf("tools/call")];
  expect(called?.get("mcp-protocol-version")).toBe("2026-07-28");
  expect(called?.get("mcp-method")).toBe("tools/call");
  expect(called?.get("mcp-name")).toBe("echo");
});

test("[MC2] no stream to a server outlives the turn", async () => {
  const old = await startSseServer();
  const room = openMcpRoom({ files: old }, { server: { transport: "sse" } });
  await room.run([calls({ name: "files__read" }), says("ok")]);
  await vi.waitFor(() => expect(old.open()).toBe(0));
  await old.stop();
});

test("[MC1][MW2] the older transport: one stream for all answers", async () => {
  const old = await startSseServer();
  const room = openMcpRoom({ files: old }, { server: { transport: "sse" } });
  const turn = await room.run([calls({ name: "files__read" }), calls({ name: "files__drop" }), says("ok")]);
  expect(dispositionsOf(turn)).toEqual(["succeeded", "outcome_unknown"]);
  expect(resultsOf(turn)[0]).toContain("read over the stream");
  await old.stop();
});
