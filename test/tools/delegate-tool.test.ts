/** delegate as a tool: its flags, what it advertises, what it takes. */
import { describe, expect, test } from "vitest";
import { defaultAutoApprove } from "../../src/contracts/config/risk-profile.ts";
import { matchesAny } from "../../src/policy/name-pattern.ts";
import { createDelegateTool } from "../../src/tools/delegate-tool.ts";
import { runTool } from "./run-tool.ts";

const tool = createDelegateTool(["zed", "ben"]);
const accepts = (args: object): boolean => tool.checkArguments({ ...args }).ok;

test("[DG1][TC1] native, re-entrant, without a time limit of its own, guarded against nothing", () => {
  expect(tool).toMatchObject({ origin: "delegate", provenance: "native", reEntrant: true, repeatGuard: false });
  expect(tool.timeoutSecs).toBeUndefined();
  expect(tool.readOnly).toBe(false);
});

test("[DG1] its schema advertises exactly those in reach, in the order of the configuration", () => {
  const { inputSchema, description } = tool.definition;
  expect(inputSchema).toMatchObject({
    required: ["agent", "prompt"],
    properties: { agent: { enum: ["zed", "ben"] }, prompt: { type: "string" }, context: { type: "string" } },
  });
  expect(description).toContain("zed, ben");
  expect(createDelegateTool(["ben"]).definitionHash).not.toBe(tool.definitionHash);
});

describe("what it takes", () => {
  test.each([
    [{ agent: "ben", prompt: "Go." }, true],
    [{ agent: "ben", prompt: "Go.", context: "" }, true],
    // Out of reach is for the loop to say, with the names that are in reach (RX14).
    [{ agent: "nobody", prompt: "Go." }, true],
    [{ agent: "ben", prompt: " \n" }, false],
    [{ agent: "ben" }, false],
    [{ prompt: "Go." }, false],
    [{ agent: "ben", prompt: 1 }, false],
    [{ agent: "ben", prompt: "Go.", context: ["a"] }, false],
  ])("[DG1][RX14] %j: %s", (args, taken) => {
    expect(accepts(args)).toBe(taken);
  });
});

test("[RG12] run as any other tool it fails: only the loop opens a frame", async () => {
  expect(await runTool(tool, { agent: "ben", prompt: "Go." })).toMatchObject({ success: false });
});

test("[TC30] the default does not run it unasked", () => {
  expect(matchesAny(defaultAutoApprove, "delegate")).toBe(false);
});
