/** Turns with the official server as the peer, in both eras. */
import { afterEach, describe, expect, test } from "vitest";
import { dispositionsOf, resultsOf } from "../support/core-fixture.ts";
import { offeredIn, openMcpRoom } from "../support/mcp-room.ts";
import { type OfficialServer, type OfficialTool, startOfficialServer } from "../support/official-mcp-server.ts";
import { calls, says } from "../support/scripted-provider.ts";

let server: OfficialServer | undefined;
afterEach(() => server?.stop());

const text = (words: string) => ({ content: [{ type: "text", text: words }] });
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
});
