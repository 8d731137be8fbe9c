/** The command line of `npm run turn`. */
import { describe, expect, test } from "vitest";
import { readTurnArguments } from "../../scripts/lib/turn-arguments.ts";

const read = (...argv: string[]) => readTurnArguments(argv, "/somewhere");

describe("turn arguments", () => {
  test("a text alone is enough", () => {
    expect(read("hello")).toEqual({
      ok: true,
      value: {
        text: "hello",
        port: 8787,
        conversation: undefined,
        agent: undefined,
        configFile: undefined,
        json: false,
      },
    });
  });

  test("every option is taken, before and after the text", () => {
    const conversation = "cli-0000000000000000000000";
    const found = read(
      "--port",
      "9000",
      "a",
      "b",
      "--conversation",
      conversation,
      "--agent",
      "clerk",
      "--config",
      "c.ts",
      "--json",
    );
    expect(found).toEqual({
      ok: true,
      value: { text: "a b", port: 9000, conversation, agent: "clerk", configFile: "/somewhere/c.ts", json: true },
    });
  });

  test.each([
    [[], "there is no text to send"],
    [["  "], "there is no text to send"],
    [["x", "--port", "0"], "--port must be 1 to 65535"],
    [["x", "--port", "65536"], "--port must be 1 to 65535"],
    [["x", "--port", "1e3"], "--port must be 1 to 65535"],
    [["x", "--conversation", "short"], "--conversation must be 16 to 64 letters, digits, _ or -"],
  ])("%j is refused in words", (argv, failure) => {
    expect(read(...argv)).toEqual({ ok: false, failure });
  });

  test("an unknown option is named", () => {
    const found = read("x", "--colour");
    expect(found).toMatchObject({ ok: false, failure: expect.stringContaining("--colour") });
  });
});
