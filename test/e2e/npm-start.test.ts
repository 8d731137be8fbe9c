/** `npm start` when it cannot: it says why in a sentence, and nothing is left running. */
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

async function npmStart(...options: readonly string[]): Promise<{ code: unknown; output: string }> {
  const child = spawn("npm", ["start", "--silent", "--", ...options], {
    cwd: projectRoot,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, "exit")]);
  return { code, output: stdout + stderr };
}

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
  const directory = mkdtempSync(join(tmpdir(), "countersign-bad-"));
  const file = join(directory, "bad.config.ts");
  writeFileSync(
    file,
    `import { defineConfig } from "countersign";
const agents = { assistant: { model_provider: "missing", temperature: "warm" } };
export default defineConfig({ agents, providers: { embedded: { kind: "embedded" } }, extra: 1 } as never);
`,
  );
  const port = await findFreePort();
  const { code, output } = await npmStart("--port", String(port), "--config", file);
  rmSync(directory, { recursive: true });
  expect(code).toBe(1);
  for (const path of ["agents.assistant.model_provider", "agents.assistant.temperature", "extra"]) {
    expect(output).toContain(path);
  }
  expect(await isPortFree(port)).toBe(true);
});

test("[CF6] a first build that fails ends the command, with the bundler's own words and nothing left running", async () => {
  const directory = mkdtempSync(join(tmpdir(), "countersign-unbuildable-"));
  const file = join(directory, "unbuildable.config.ts");
  writeFileSync(
    file,
    `import { defineConfig } from "countersign";
export const later = () => import("there-is-no-such-package");
const agents = { assistant: { model_provider: "embedded" } };
export default defineConfig({ agents, providers: { embedded: { kind: "embedded" } } });
`,
  );
  const port = await findFreePort();
  const { code, output } = await npmStart("--port", String(port), "--config", file);
  rmSync(directory, { recursive: true });
  expect(code).toBe(1);
  expect(output).toContain("there-is-no-such-package");
  expect(output).toContain("the first build failed");
  expect(await isPortFree(port)).toBe(true);
});
