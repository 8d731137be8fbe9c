/** `npm run turn` against a real server: what it prints, how it exits. */
import { execFile } from "node:child_process";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";

let server: RunningServer;
beforeAll(async () => {
  server = await startServer();
});
afterAll(() => server.stop());

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function runTurn(...argv: string[]): Promise<Ended> {
  const script = join(projectRoot, "scripts/turn.ts");
  const { port } = new URL(server.url);
  const env = { ...process.env, COUNTERSIGN_DEV_KEY: server.key, NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, "--port", port, ...argv], { env }, (failure, stdout, stderr) =>
      resolve({ code: typeof failure?.code === "number" ? failure.code : 0, stdout, stderr }),
    );
  });
}

test("a turn is shown with its tools, receipts, answer, outcome", async () => {
  const { code, stdout, stderr } = await runTurn("what is 12*(3+4), and what time is it in Madrid?");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toMatch(
    /^✓ calculator expression="12\*\(3\+4\)" → 84 · \d+ ms\n {2}zc-receipt-\d+-[\w-]{43}\n✓ current_time .*\n {2}zc-receipt-\S+\n\n12\*\(3\+4\) is 84\..*\n\ncompleted · 2 iterations · .* · conversation cli-[0-9A-Za-z]{22} · turn \S+\n/,
  );
});

test("a conversation goes on, its events as JSON with one event a line", async () => {
  const conversation = "turn-command-conversation";
  await runTurn("what is 1+1?", "--conversation", conversation);
  const { code, stdout } = await runTurn("what is 2+2?", "--conversation", conversation, "--json");
  const events = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { type: string; seq: number; conversation: string });
  expect(code).toBe(0);
  expect(events.at(0)?.seq).toBeGreaterThan(1);
  expect(events.at(0)?.type).toBe("turn_accepted");
  expect(events.at(-1)?.type).toBe("turn_finished");
  expect(new Set(events.map((event) => event.conversation))).toEqual(new Set([conversation]));
});

test("a refusal is one line in words", async () => {
  const { code, stdout, stderr } = await runTurn("hello", "--agent", "nobody");
  expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  expect(stderr).toMatch(/^countersign: unknown-agent \(422\): .*\[request \S+\]\n$/);
});

test("a config file is for a server of its own", async () => {
  const { code, stderr } = await runTurn("hello", "--config", "other.config.ts");
  expect(code).toBe(1);
  expect(stderr).toContain("--config is for a server that is started here");
});
