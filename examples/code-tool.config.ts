/** A tool in code: what a model may call, and what runs when it does. */
import { defineConfig, defineTool, ok } from "countersign";
import { z } from "zod";

export const countWords = defineTool({
  name: "count_words",
  description: "Counts the words of a text",
  input: z.object({ text: z.string() }),
  readOnly: true,
  risk: "low",
  execute: ({ text }) => ok(`${text.split(/\s+/).filter(Boolean).length} words`),
});

export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
  risk_profiles: { default: { auto_approve: ["count_words"] } },
  tools: [countWords],
});
