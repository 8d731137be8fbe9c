/** `config:check` as a process: files in any folder, every fault, the exit code. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-config-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function check(source: string, ...extra: string[]) {
  writeFileSync(join(folder, "my.config.ts"), source);
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [join(projectRoot, "scripts/config-check.ts"), "--config", "my.config.ts", ...extra],
    { encoding: "utf8", env: { PATH: process.env["PATH"] ?? "", INIT_CWD: folder } },
  );
  return { status, lines: stdout.split("\n"), stderr };
}

const file = (sections: string): string => `
  import { defineConfig } from "countersign";
  export default defineConfig({
    agents: { assistant: { model_provider: "embedded" } },
    providers: { embedded: { kind: "embedded" } },
    ${sections}
  } as never);
`;

describe("config:check", () => {
  test("[CF1] a file in any folder, with modules beside it, uses this package and its zod", () => {
    writeFileSync(
      join(folder, "tool.ts"),
      `import { defineTool, ok } from "countersign";
       import { z } from "zod";
       import config from "#config";
       export const shout = defineTool({
         name: "shout", description: "Says it loud", input: z.object({ text: z.string() }),
         execute: ({ text }) => ok(text.toUpperCase(), Object.keys(config.agents)),
       });`,
    );
    const { status, lines, stderr } = check(`
      import { defineConfig } from "countersign";
      import { shout } from "./tool";
      export default defineConfig({
        agents: { assistant: { model_provider: "embedded" } },
        providers: { embedded: { kind: "embedded" } },
        tools: [shout],
      });
    `);
    expect(stderr).toBe("");
    expect(lines).toEqual([`${join(folder, "my.config.ts")} is valid`, ""]);
    expect(status).toBe(0);
  });

  test("[CF2][CF6] every fault is a line with its path, and stops", () => {
    const { status, lines } = check(file(`limits: { surplus: 1, max_stream_secs: 0 }, default_agent: "nobody"`));
    expect(lines).toContain("limits.surplus: unknown key");
    expect(lines).toContain("limits.max_stream_secs: must be at least 1");
    expect(lines).toContain("default_agent: there is no agent of this name");
    expect(lines).toContain(`${join(folder, "my.config.ts")} has 3 faults`);
    expect(status).toBe(1);
  });

  test("[CF6] a module that throws is a fault", () => {
    const { status, lines } = check(`throw new Error("no such thing");`);
    expect(lines[0]).toBe("the file cannot be loaded: no such thing");
    expect(status).toBe(1);
  });

  test("[CF2][CF6] a value that throws when it is read is a fault at its path, without a stack", () => {
    const getter = `get max_stream_secs() { throw new Error("not ready"); }`;
    const { status, lines, stderr } = check(file(`limits: { ${getter} }`));
    expect(lines).toEqual([
      "limits.max_stream_secs: cannot be read",
      `${join(folder, "my.config.ts")} has 1 fault`,
      "",
    ]);
    expect([status, stderr]).toEqual([1, ""]);
    const bare = check(`export default new Proxy({}, { ownKeys() { throw new Error("no"); } });`);
    expect([bare.lines[0], bare.status]).toEqual(["cannot be read", 1]);
  });

  test("[CF1] a file without a default export is a fault", () => {
    const { status, lines } = check("export const config = {};");
    expect(lines[0]).toMatch(/no default export/);
    expect(status).toBe(1);
  });

  test("[SE40] what only production refuses is a warning until production is asked for", () => {
    const source = file(`egress: { dev_hosts: ["127.0.0.1:8080"] }`);
    const open = check(source);
    expect(open.lines[0]).toMatch(/^warning: egress\.dev_hosts: stops a start in production/);
    expect(open.status).toBe(0);
    const live = check(source, "--env", "live");
    expect(live.lines[0]).toMatch(/^egress\.dev_hosts: /);
    expect(live.status).toBe(1);
  });

  // wrangler itself is loaded to read the bindings, which takes its time on a busy machine.
  test(
    "[TC26][TC20][CF6] what is wrong with declared tools stops, a binding that is missing included",
    { timeout: 30_000 },
    () => {
      const entry = `description: "Does it", input_schema: { type: "object" }`;
      const { status, lines } = check(
        file(`tools: [
        { kind: "service", name: "refund", ${entry}, binding: "SHOP" },
        { kind: "http", name: "order", ${entry}, url: "https://shop.example.com/{order}" },
      ]`),
      );
      expect(lines.slice(0, 2)).toEqual([
        "tools[0].binding: there is no service binding SHOP",
        "tools[1].url: {order} is no argument of its input_schema",
      ]);
      expect(status).toBe(1);
    },
  );

  test("[SE33] the URL of an HTTP tool is judged, and a refusal is a warning", () => {
    const entry = `kind: "http", name: "meta", description: "Does it", input_schema: { type: "object" }`;
    const { status, lines } = check(file(`tools: [{ ${entry}, url: "https://169.254.169.254/latest" }]`));
    expect(lines[0]).toMatch(/^warning: tools\[0\]\.url: egress refuses it \(ip_literal\)/);
    expect(status).toBe(0);
  });

  test("[CF6] a file that is not there stops", () => {
    const { status, stderr } = check(file(""), "--config", "other.ts");
    expect(stderr).toMatch(/there is no config file .*other\.ts/);
    expect(status).toBe(1);
  });
});
