/** The first tool of the manual, tested as an author would. */
import { expect, test } from "vitest";
import { countWords } from "../../examples/code-tool.config.ts";
import { runTool } from "../tools/run-tool.ts";

test("[TC7] count_words counts", async () => {
  const result = await runTool(countWords, { text: "to be or not to be" });
  expect(result).toEqual({ success: true, output: "6 words" });
});

test("[TC3] count_words takes a text and nothing else", async () => {
  await expect(runTool(countWords, { text: 7 })).rejects.toThrow("text");
});
