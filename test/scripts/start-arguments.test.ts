/** The command line of `npm start`, and how help is asked for. */
import { join } from "node:path";
import { expect, test } from "vitest";
import { asksForHelp } from "../../scripts/lib/asks-for-help.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { readStartArguments } from "../../scripts/lib/start-arguments.ts";

const read = (...argv: string[]) => readStartArguments(argv, "/called/from");

test("two servers share no databases unless they are told to", () => {
  const folderOf = (...argv: string[]) => {
    const parsed = read(...argv);
    return parsed.ok ? parsed.value.persistTo : parsed.failure;
  };
  expect(folderOf()).toBe(join(projectRoot, ".wrangler/state"));
  expect(folderOf("--port", "8787")).toBe(join(projectRoot, ".wrangler/state"));
  expect(folderOf("--port", "8788")).toBe(join(projectRoot, ".wrangler/state-8788"));
  expect(folderOf("--port", "08788")).toBe(join(projectRoot, ".wrangler/state-8788"));
  expect(folderOf("--port", "8788", "--persist-to", "kept")).toBe("/called/from/kept");
});

test("paths are relative to where the command was called", () => {
  expect(read("--config", "other.ts")).toMatchObject({ value: { configFile: "/called/from/other.ts", port: 8787 } });
  expect(read()).toMatchObject({ value: { configFile: undefined, logLevel: "warn" } });
});

test.each(["0", "65536", "1e3", "-1", "", "x"])("a port of %j is refused", (port) => {
  expect(read(`--port=${port}`)).toEqual({ ok: false, failure: "--port must be 1 to 65535" });
});

test("an unknown option is refused by its name", () => {
  expect(read("--prot", "1")).toMatchObject({ ok: false, failure: expect.stringContaining("--prot") });
});

test("help is asked for by an option, never by a word of the text", () => {
  expect([["--help"], ["-h"], ["--port", "1", "--help"]].map(asksForHelp)).toEqual([true, true, true]);
  expect([[], ["what does --help do"], ["--", "--help"]].map(asksForHelp)).toEqual([false, false, false]);
});
