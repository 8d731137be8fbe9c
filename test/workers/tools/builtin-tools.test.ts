/** Built-ins in workerd: what Intl, zod and the schema validator do there is what they do in Node. */
import { expect, test } from "vitest";
import { calculator } from "../../../src/tools/builtin/calculator.ts";
import { currentTime } from "../../../src/tools/builtin/current-time.ts";
import { defineTool } from "../../../src/tools/define-tool.ts";
import { ok } from "../../../src/tools/tool-result.ts";
import { runTool } from "../../tools/run-tool.ts";

test("the clock knows zones and their offsets", async () => {
  const now = (): number => Date.UTC(2026, 11, 1, 11, 22, 33);
  expect(await runTool(currentTime, { timezone: "america/st_johns" }, { now })).toEqual(
    ok("2026-12-01T07:52:33-03:30 Tuesday America/St_Johns"),
  );
});

test("[TS17] a definition has the hash it has in Node", async () => {
  expect(await runTool(calculator, { expression: "2^0.5" })).toEqual(ok("1.4142135623730951"));
  const tool = defineTool({ name: "t", description: "d", input: { type: "object" }, execute: () => "" });
  expect(tool.definitionHash).toBe("d526dac93520a3edd71a249d55aefa9159fbdf863db7ddc110028e58fe35721c");
});

test("[HP15] a foreign schema is checked without eval", () => {
  const input = { type: "object", properties: { list: { type: "array", uniqueItems: true } } };
  const tool = defineTool({ name: "t", description: "d", input, execute: () => "" });
  expect(tool.checkArguments({ list: [1, 1] })).toMatchObject({ ok: false, failure: [{ path: "list" }] });
});
