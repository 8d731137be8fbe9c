/** `npm run turn` against a real server: what it prints, how it exits. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { findFreePort, isPortFree } from "../../scripts/lib/free-port.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { acceptStream, createApiClient, eventOf, onlyEvent, readFrames } from "../support/api-client.ts";
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

const runTurn = (...argv: string[]): Promise<Ended> => runTurnOn(server, ...argv);
const runTurnOn = (on: RunningServer, ...argv: string[]): Promise<Ended> =>
  runCommand(on.key, "--port", new URL(on.url).port, ...argv);

function runCommand(key: string, ...argv: string[]): Promise<Ended> {
  const script = join(projectRoot, "scripts/turn.ts");
  const env = { ...process.env, COUNTERSIGN_DEV_KEY: key, NO_COLOR: "1" };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, ...argv], { env }, (failure, stdout, stderr) =>
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
  expect(stdout).toMatch(/\nreceipts: curl -sS \S+\/receipts -H "Authorization: Bearer \$COUNTERSIGN_DEV_KEY"\n$/);
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

describe("a turn that needs a person, where none can be asked", () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-dice-"));
  const configFile = join(directory, "dice.config.ts");
  let dice: RunningServer;
  beforeAll(async () => {
    writeFileSync(
      configFile,
      `import { defineConfig, defineTool } from "countersign";
import { z } from "zod";
const rollDice = defineTool({
  name: "roll_dice",
  description: "Rolls one die with this many sides",
  input: z.object({ sides: z.int() }),
  execute: ({ sides }) => \`rolled \${sides}\`,
});
export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
  tools: [rollDice],
});
`,
    );
    dice = await startServer({ configFile });
  });
  afterAll(async () => {
    await dice.stop();
    rmSync(directory, { recursive: true });
  });

  test("[AP3][SS7] the command ends at once and well, and what it prints decides the turn", async () => {
    const conversation = "turn-command-waits-here";
    const { code, stdout, stderr } = await runTurnOn(dice, "roll dice with 20 sides", "--conversation", conversation);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      /^waiting for approval of roll_dice \(sides: 20\) – \S+\nthe turn waits\n# while the server runs/,
    );
    expect(stdout).not.toContain(dice.key);
    const [, url = "", body = ""] = /^curl -sS (\S+) .* -d '(\{"decision":"approve"\})'$/m.exec(stdout) ?? [];
    const client = createApiClient(dice);
    expect((await client.post(new URL(url).pathname, body)).status).toBe(200);
    const [, events = ""] = /^curl -sS -N "(\S+)"/m.exec(stdout) ?? [];
    const response = await client.get(events.slice(dice.url.length), acceptStream);
    const read = (await readFrames(response)).map(eventOf);
    expect(onlyEvent(read, "tool_result").output).toBe("rolled 20");
    expect(onlyEvent(read, "turn_finished").outcome).toBe("completed");
  });

  test("as JSON it prints the events and nothing else", async () => {
    const { code, stdout } = await runTurnOn(dice, "roll dice with 20 sides", "--json");
    const lines = stdout.trim().split("\n");
    const types = lines.map((line) => (JSON.parse(line) as { type: string }).type);
    expect([code, types.at(-1)]).toEqual([0, "turn_suspended"]);
  });
});

test("asked for help it says how it is used, and sends nothing", async () => {
  const { code, stdout, stderr } = await runCommand(server.key, "--help");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  for (const option of ["--port", "--conversation", "--agent", "--config", "--json"]) expect(stdout).toContain(option);
});

test("a server of its own has its warnings shown and its provider's fault, and no address of it is left behind", async () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-turn-"));
  const configFile = join(directory, "nobody.config.ts");
  const [port, nobody] = [await findFreePort(), await findFreePort()];
  writeFileSync(
    configFile,
    `import { defineConfig } from "countersign";
export default defineConfig({
  agents: { assistant: { model_provider: "main" } },
  providers: {
    main: { kind: "openai_compatible", base_url: "http://127.0.0.1:${nobody}/v1", default_model: "m", max_retries: 0 },
  },
  egress: { dev_hosts: ["127.0.0.1:${nobody}"] },
});
`,
  );
  const { code, stdout, stderr } = await runCommand(
    server.key,
    "hello",
    "--port",
    String(port),
    "--config",
    configFile,
  );
  for (const left of [directory, join(projectRoot, `.wrangler/state-${port}`)]) rmSync(left, { recursive: true });
  expect(code).toBe(1);
  expect(stdout).toContain("failed: provider_error");
  expect(stdout).toContain("go on:");
  expect(stdout).not.toContain("receipts:");
  expect(stderr).toContain("countersign: warning: providers.main.default_model: ");
  expect(stderr).toMatch(/^countersign: provider main: unreachable: \S/m);
  expect(await isPortFree(port)).toBe(true);
});
