/** `npm start` when it cannot, it says why in a sentence; when it can, it says what it is; nothing is left running. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { findFreePort, isPortFree } from "../../scripts/lib/free-port.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { waitReady } from "../../scripts/lib/wait-ready.ts";

async function npmStart(...options: readonly string[]): Promise<{ code: unknown; output: string }> {
  const child = spawn("npm", ["start", "--silent", "--", ...options], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code, output: stdout + stderr };
}

/** Runs the command on a config file with this text; a server that came up would never let it end. */
async function npmStartWith(source: string): Promise<{ code: unknown; output: string; port: number }> {
  const directory = mkdtempSync(join(tmpdir(), "countersign-start-"));
  const file = join(directory, "given.config.ts");
  writeFileSync(file, source);
  const port = await findFreePort();
  const ended = await npmStart("--port", String(port), "--config", file, "--persist-to", join(directory, "state"));
  rmSync(directory, { recursive: true });
  return { ...ended, port };
}

const lastLineOf = (output: string): string | undefined => output.trim().split("\n").at(-1);

test("asked for help it says how it is used, and starts nothing", async () => {
  const { code, output } = await npmStart("--help");
  expect(code).toBe(0);
  for (const option of ["--port", "--config", "--persist-to", "--log-level"]) expect(output).toContain(option);
  expect(output).not.toContain("ready");
});

test("a taken port is named, with another to try", async () => {
  const other = createServer().listen(0, "127.0.0.1");
  await once(other, "listening");
  const { port } = other.address() as AddressInfo;
  const { code, output } = await npmStart("--port", String(port));
  other.close();
  expect(code).toBe(1);
  expect(output).toContain(`port ${port} is taken`);
  expect(output).toContain(`npm start -- --port ${port + 1}`);
});

test("[CF6] a configuration with faults starts nothing, and each fault has its path", async () => {
  const { code, output, port } = await npmStartWith(`import { defineConfig } from "countersign";
const agents = { assistant: { model_provider: "missing", temperature: "warm" } };
export default defineConfig({ agents, providers: { embedded: { kind: "embedded" } }, extra: 1 } as never);
`);
  expect(code).toBe(1);
  for (const path of ["agents.assistant.model_provider", "agents.assistant.temperature", "extra"]) {
    expect(output).toContain(path);
  }
  expect(await isPortFree(port)).toBe(true);
});

test.each([
  ["does not parse", `export default {{;\n`, /the file cannot be loaded: \S/],
  ["imports what is not there", `import { gone } from "countersign";\nexport default gone;\n`, /export named 'gone'/],
  ["exports nothing", `export const settings = {};\n`, /has no default export/],
])("[CF6] a file that %s ends the command before anything is started", async (_, source, reason) => {
  const { code, output } = await npmStartWith(source);
  expect(code).toBe(1);
  expect(output).toMatch(reason);
  expect(lastLineOf(output)).toBe("countersign: the configuration has faults, so nothing was started");
});

const usable = `const agents = { assistant: { model_provider: "embedded" } };
export default defineConfig({ agents, providers: { embedded: { kind: "embedded" } } });
`;
test.each([
  ["cannot be built", `export const later = () => import("there-is-no-such-package");`, "there-is-no-such-package"],
  ["cannot run in a Worker", `setTimeout(() => {}, 1);`, "Disallowed operation called within global scope"],
])(
  "[CF6] a file that %s ends the command, with the tool's own words and nothing left running",
  async (_, line, reason) => {
    const { code, output, port } = await npmStartWith(
      `import { defineConfig } from "countersign";\n${line}\n${usable}`,
    );
    expect(code).toBe(1);
    expect(output).toContain(reason);
    expect(lastLineOf(output)).toBe("countersign: the first build failed, so nothing is served");
    expect(await isPortFree(port)).toBe(true);
  },
);

test("a server that is up names the commit that it was given, and ends with the command", async () => {
  const port = await findFreePort();
  const state = mkdtempSync(join(tmpdir(), "countersign-start-"));
  const child = spawn("npm", ["start", "--silent", "--", "--port", String(port), "--persist-to", state], {
    cwd: projectRoot,
    env: { ...process.env, COUNTERSIGN_COMMIT: "abc1234" },
    stdio: "ignore",
  });
  const url = `http://127.0.0.1:${port}`;
  expect(await waitReady(url, AbortSignal.timeout(50_000))).toBe(true);
  expect(await (await fetch(`${url}/healthz`)).json()).toMatchObject({ status: "ok", commit: "abc1234" });
  child.kill("SIGTERM");
  await once(child, "exit");
  rmSync(state, { recursive: true, force: true, maxRetries: 5 });
  expect(await isPortFree(port)).toBe(true);
});
