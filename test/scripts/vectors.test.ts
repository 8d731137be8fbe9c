/** `npm run vectors`: what it prints and how it ends. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkVectorLine } from "../../scripts/lib/check-vector.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";

const folder = mkdtempSync(join(tmpdir(), "countersign-vectors-"));
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): { lines: string[]; status: number | null } {
  const { stdout, status } = spawnSync(process.execPath, [join(projectRoot, "scripts/vectors.ts"), ...args], {
    cwd: folder,
    env: { ...process.env, INIT_CWD: folder },
    encoding: "utf8",
  });
  return { lines: stdout.trimEnd().split("\n"), status };
}

const cleanup = (id: string, expected: string): object => ({
  id,
  suite: "cleanup",
  input: "Ok<eom>",
  expect: { strip_trailing_terminal_markers: expected },
});
const faultsOf = (row: object): readonly string[] => checkVectorLine(JSON.stringify(row)).faults;

describe("the command", () => {
  test("[TP81] one line per failing row with both values, then the count, and a failing exit", () => {
    const file = join(folder, "any name.txt");
    writeFileSync(file, [cleanup("good", "Ok"), cleanup("bad", "No")].map((row) => JSON.stringify(row)).join("\n"));
    expect(run("any name.txt")).toEqual({
      lines: ['bad: strip_trailing_terminal_markers: expected "No", got "Ok"', "1 passed, 1 failed"],
      status: 1,
    });
  });

  test("[TP81] the shipped files pass", () => {
    const { lines, status } = run(
      join(projectRoot, "test/vectors/helper-vectors.jsonl"),
      join(projectRoot, "test/vectors/schema-vectors.jsonl"),
    );
    expect([lines.at(-1), status]).toEqual([expect.stringMatching(/^\d+ passed, 0 failed$/), 0]);
  });

  test("[TP81] a file that is not there, or no file, is a failure", () => {
    expect(run("missing.jsonl")).toEqual({ lines: ["missing.jsonl: cannot be read", "0 passed, 1 failed"], status: 1 });
    expect(run().status).toBe(1);
  });
});

describe("rows", () => {
  test("[TP81] a row without a suite is known by its fields", () => {
    const { suite: _suite, ...row } = cleanup("x", "Ok") as { suite: string };
    expect(faultsOf(row)).toEqual([]);
    expect(faultsOf({ kind: "think", chunks: ["a<think>"], expect: { pushes: ["a"], finish: "" } })).toEqual([]);
    expect(faultsOf({ strategy: "openai", schema: { type: "object" }, expect: { needs_cleaning: false } })).toEqual([]);
  });

  test.each([
    ["what is no JSON", "{", "is not JSON"],
    ["what is no vector", "{}", "is no vector: it has no expect"],
    ["an unknown suite", '{"suite":"x","expect":{}}', "is of no known suite"],
    ["missing fields", '{"suite":"cleanup","expect":{}}', "threw Error: the row has no text input"],
  ])("[TP81] %s fails", (_what, line, fault) => {
    expect(checkVectorLine(line).faults).toEqual([fault]);
  });

  const parser = (calls: unknown): object => ({
    suite: "parser",
    input: '{"name":"lamp","arguments":{"__proto__":1.0,"a":[1]}}',
    tools: [],
    strict: false,
    expect: { calls },
  });
  const proto = JSON.parse('{"__proto__":1,"a":[1]}') as unknown;

  test.each([
    ["own keys named __proto__ count", [{ name: "lamp", arguments: { a: [1] } }], false],
    ["numbers compare by value", [{ name: "lamp", arguments: proto }], true],
    ["a missing id is not null", [{ name: "lamp", arguments: proto, id: null }], false],
    ["order and length of lists count", [], false],
  ])("[TP81] %s", (_what, calls, passes) => {
    expect(faultsOf(parser(calls)).length === 0).toBe(passes);
  });
});
