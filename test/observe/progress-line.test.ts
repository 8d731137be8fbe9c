/** Progress lines for surfaces of plain text. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { renderProgress } from "../../src/observe/progress-line.ts";
import { createRedactor } from "../../src/observe/redact.ts";

const SECRET = "s3cr3t-of-the-product";
const redactor = createRedactor({ secrets: [SECRET] });
const call = { callId: "call_t_1", tool: "shell", origin: "native" } as const;
const startOf = (args: JsonValue) =>
  renderProgress({ ...call, type: "tool_call", toolOrigin: "code", arguments: args, index: 0 }, redactor);
const endOf = (success: boolean, output: string, durationMs = 0) =>
  renderProgress(
    {
      ...call,
      type: "tool_result",
      disposition: success ? "succeeded" : "failed",
      success,
      output,
      chars: output.length,
      truncated: false,
      durationMs,
    },
    redactor,
  );

describe("a call's start", () => {
  test.each([
    ["its command", { path: "p", command: "ls  -l\n | wc" }, "→ shell: ls -l | wc"],
    ["its path", { query: "q", path: "a/b" }, "→ shell: a/b"],
    ["its action", { action: "list", query: "q" }, "→ shell: list"],
    ["its query", { command: " ", query: "why" }, "→ shell: why"],
    ["none of them", { other: "x" }, "→ shell"],
    ["a hint that is no text", { command: { x: 1 } }, "→ shell"],
    ["arguments that are text", '{"comm', "→ shell"],
  ])("[EV13] %s", (_what, args, line) => {
    expect(startOf(args as JsonValue)).toBe(line);
  });

  test("[EV13][RE20] a hint has at most 60 characters, and no secret", () => {
    expect([...(startOf({ command: "😀".repeat(80) })?.slice("→ shell: ".length) ?? "")]).toHaveLength(60);
    expect(startOf({ command: `login ${SECRET}` })).toBe("→ shell: login [REDACTED:own]");
  });
});

describe("a call's end", () => {
  test("[EV13] whole seconds; of a success nothing of its output", () => {
    expect(endOf(true, "all of it", 2999)).toBe("✓ shell (2 s)");
  });

  test("[EV13][RE28] on failure the reason, redacted whole and cut to 200", () => {
    const line = endOf(false, `${"x ".repeat(95)}${SECRET} and more and more and more`, 61_000) ?? "";
    expect(line.startsWith("✗ shell (61 s): x x")).toBe(true);
    expect(line).not.toContain("s3cr3t");
    expect(Array.from(line.slice("✗ shell (61 s): ".length))).toHaveLength(200);
  });

  test("[EV13] other events have no line", () => {
    expect(renderProgress({ type: "turn_resumed", reason: "approval" }, redactor)).toBeUndefined();
  });
});

test("[EV13][RE26] whatever it is, it is one line of well-formed text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.boolean(), (text, success) => {
      for (const line of [startOf({ command: text }), endOf(success, text)]) {
        expect(line).not.toMatch(/[\n\r\u2028\u2029]/);
        expect(line?.isWellFormed()).toBe(true);
      }
    }),
    { numRuns: 1000 },
  );
});
