/** read_result: ranges of stored results. */
import { expect, test } from "vitest";
import type { ResultRange } from "../../../src/contracts/tool.ts";
import { readResult } from "../../../src/tools/builtin/read-result.ts";
import { fail, ok } from "../../../src/tools/tool-result.ts";
import { runTool } from "../run-tool.ts";

const stored = Array.from("a𝄞bcdefghij");

function readStored({ callId, offset, length }: ResultRange) {
  if (callId !== "call_turn_7_1") return undefined;
  return { tool: "files__read", text: stored.slice(offset, offset + length).join(""), total: stored.length };
}

test.each([
  [{}, "characters 0 to 11 of 11\na𝄞bcdefghij"],
  [{ offset: 1, length: 2 }, "characters 1 to 3 of 11\n𝄞b"],
  [{ offset: 9, length: 100 }, "characters 9 to 11 of 11\nij"],
  [{ offset: 11 }, "no characters of 11\n"],
])("[BD9] %j: one line with call, tool, range and total, then the text", async (range, expected) => {
  const result = await runTool(readResult, { call_id: "call_turn_7_1", ...range }, { readResult: readStored });
  expect(result).toEqual(ok(`call call_turn_7_1, tool files__read, ${expected}`));
});

test("[BD9] offset 0 and 20,000 characters unless the call says otherwise", async () => {
  const asked: ResultRange[] = [];
  await runTool(readResult, { call_id: "c" }, { readResult: (range) => void asked.push(range) });
  expect(asked).toEqual([{ callId: "c", offset: 0, length: 20_000 }]);
});

test("[BD9] a call without a stored result is failed", async () => {
  expect(await runTool(readResult, { call_id: "other" }, { readResult: readStored })).toEqual(
    fail('no stored result of a call "other" in this conversation'),
  );
});

test.each([
  [{ call_id: "" }, "call_id"],
  [{ call_id: "c", offset: -1 }, "offset"],
  [{ call_id: "c", offset: 0.5 }, "offset"],
  [{ call_id: "c", length: 0 }, "length"],
])("[BD9] no such range: %j", (args, path) => {
  expect(readResult.checkArguments(args)).toMatchObject({ ok: false, failure: [{ path }] });
});
