/** What `npm run turn` does with a turn that waits: asks, decides, or says how it is decided. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { afterEach, describe, expect, test } from "vitest";
import { decideTurn } from "../../scripts/lib/decide-turn.ts";
import type { ServerKey } from "../../scripts/lib/server-key.ts";
import { encodeProblem } from "../../src/wire/problem.ts";

const closers: (() => void)[] = [];
afterEach(() => closers.splice(0).forEach((close) => close()));

interface Waiting {
  readonly url: string;
  /** What was decided, by approval. */
  readonly decided: Map<string, unknown>;
}

interface Scene {
  /** Approvals that are open, by tool. */
  readonly approvals?: Readonly<Record<string, string>>;
  readonly clientCalls?: readonly { readonly call_id: string; readonly tool: string }[];
  /** Everything is refused as decided by somebody else. */
  readonly tooLate?: boolean;
}

/** A server on which one turn waits until each approval is decided. */
async function serve({ approvals = {}, clientCalls = [], tooLate = false }: Scene): Promise<Waiting> {
  const decided = new Map<string, unknown>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      const approval = /\/approvals\/(\w+)$/.exec(request.url ?? "")?.[1];
      if (approval !== undefined) decided.set(approval, JSON.parse(body));
      const open = Object.entries(approvals).filter(([id]) => !decided.has(id));
      const problem = { slug: "approval-decided", detail: "Too late." } as const;
      response.statusCode = approval !== undefined && tooLate ? 409 : 200;
      response.end(
        JSON.stringify(
          response.statusCode === 409
            ? encodeProblem(problem, "r1")
            : {
                state: open.length + clientCalls.length > 0 ? "suspended" : "running",
                open_requests: {
                  approvals: open.map(([id, tool]) => ({ approval_id: id, tool, arguments_summary: "sides: 20" })),
                  client_calls: clientCalls,
                },
              },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, decided };
}

/** Types the words one after the other; then the terminal is closed. */
async function decide(
  { url, keySource = "file" }: Pick<Waiting, "url"> & Partial<ServerKey>,
  typed?: readonly string[],
) {
  const asked: string[] = [];
  const printed: string[] = [];
  const words = [...(typed ?? [])];
  const ask = async (question: string): Promise<string | undefined> => {
    asked.push(question);
    return words.shift();
  };
  const turn = { url, key: "secret-key", keySource, conversation: "conversation-0001", turn: "trn_1" };
  const { signal } = new AbortController();
  const print = (line: string): number => printed.push(line);
  const goesOn = await decideTurn(turn, { ask: typed === undefined ? undefined : ask, print, signal });
  return { goesOn, asked, printed };
}

describe("somebody at the terminal", () => {
  test.each([
    ["y", "approve"],
    ["No ", "deny"],
    ["a", "always"],
  ])("[AP6] types %j, and that is decided", async (typed, decision) => {
    const waiting = await serve({ approvals: { apr_1: "roll_dice" } });
    const { goesOn, asked, printed } = await decide(waiting, [typed]);
    expect([goesOn, printed]).toEqual([true, []]);
    expect(asked).toEqual(["run roll_dice (sides: 20)? [y]es, [n]o, [a]lways: "]);
    expect([...waiting.decided]).toEqual([["apr_1", { decision }]]);
  });

  test("is asked about each call in order, again after a word that is no answer", async () => {
    const waiting = await serve({ approvals: { apr_1: "first", apr_2: "second" } });
    const { goesOn, asked } = await decide(waiting, ["perhaps", "", "y", "n"]);
    expect(goesOn).toBe(true);
    expect(asked.map((question) => question.split(" ")[1])).toEqual(["first", "first", "first", "second"]);
    expect([...waiting.decided.keys()]).toEqual(["apr_1", "apr_2"]);
  });

  test("leaves: what is decided stands, and how to decide the rest is said", async () => {
    const waiting = await serve({ approvals: { apr_1: "first", apr_2: "second" } });
    const { goesOn, printed } = await decide(waiting, ["y"]);
    expect(goesOn).toBe(false);
    expect(printed.join("\n")).toContain("/approvals/apr_2");
    expect(printed.join("\n")).not.toContain("/approvals/apr_1");
  });

  test("[SE22] was slower than somebody else: the refusal is said, and the turn goes on", async () => {
    const { goesOn, printed } = await decide(await serve({ approvals: { apr_1: "first" }, tooLate: true }), ["y"]);
    expect([goesOn, printed]).toEqual([true, ["approval-decided (409): Too late. [request r1]"]]);
  });

  test("[SE56] sees no control character of a tool or its arguments", async () => {
    const { asked } = await decide(await serve({ approvals: { apr_1: "ro\u001b[2Jll\r\n" } }), ["y"]);
    expect(asked.join("")).not.toMatch(/[\p{Cc}]/u);
  });
});

describe("nobody at the terminal", () => {
  test("nothing is decided; commands say how, for each of the two answers, without the key", async () => {
    const waiting = await serve({ approvals: { apr_1: "roll_dice" } });
    const { goesOn, printed } = await decide(waiting);
    const path = `curl -sS ${waiting.url}/v1/conversations/conversation-0001/approvals/apr_1 -H "Authorization: Bearer $KEY"`;
    expect(goesOn).toBe(false);
    expect(printed).toContain(`${path} -H 'Content-Type: application/json' -d '{"decision":"approve"}'`);
    expect(printed).toContain(`${path} -H 'Content-Type: application/json' -d '{"decision":"deny"}'`);
    expect(printed.join("\n")).not.toContain("secret-key");
    expect(waiting.decided.size).toBe(0);
  });

  test("the commands take the key from where the server has it", async () => {
    const waiting = await serve({ approvals: { apr_1: "roll_dice" } });
    const keyLine = ({ printed }: { printed: readonly string[] }) => printed.find((line) => line.startsWith("KEY="));
    expect(keyLine(await decide({ ...waiting, keySource: "file" }))).toContain(".dev.vars");
    expect(keyLine(await decide({ ...waiting, keySource: "environment" }))).toBe('KEY="$COUNTERSIGN_DEV_KEY"');
  });

  test("[TC27] what a client is to run is said too", async () => {
    const { printed } = await decide(await serve({ clientCalls: [{ call_id: "call_1", tool: "open_map" }] }), ["y"]);
    expect(printed).toContain("# open_map: say what it came to");
    expect(printed.join("\n")).toContain(`/turns/trn_1/tool_results`);
  });

  test("a turn that goes on by itself meanwhile is left to its stream, and so is a server that is gone", async () => {
    expect(await decide(await serve({}))).toMatchObject({ goesOn: true, printed: [] });
    expect(await decide({ url: "http://127.0.0.1:1" })).toMatchObject({ goesOn: true, printed: [] });
  });
});
