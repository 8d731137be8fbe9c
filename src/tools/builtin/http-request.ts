/** http_request: one guarded GET, its answer as text. Rules: SE42, TC25, TC30. */
import { z } from "zod";
import type { ToolResult } from "../../contracts/tool.ts";
import { answerText } from "../answer-text.ts";
import { EgressRefusal } from "../egress-refusal.ts";
import { areModelHeaders } from "../request-headers.ts";
import { fail, ok, partial } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

export const httpRequest = defineBuiltin({
  name: "http_request",
  title: "HTTP request",
  description: "Fetches a public web address with GET and returns the text of the answer.",
  risk: "high",
  readOnly: false,
  input: z.object({
    url: z.string().max(8_192).describe("Absolute https URL"),
    method: z.enum(["GET"]).default("GET"),
    headers: z
      .record(z.string(), z.string())
      .optional()
      .describe("Only accept, accept-language, content-type, if-none-match, if-modified-since and range"),
  }),
  async execute({ url, method, headers = {} }, context) {
    if (!areModelHeaders(headers)) throw new EgressRefusal("header");
    const answer = await context.fetch(url, { method, headers });
    const body = await answerText(answer);
    return answer.ok ? ok(body) : failedAnswer(answer.status, body);
  },
});

function failedAnswer(status: number, body: string): ToolResult {
  return body === "" ? fail(`HTTP ${status}`) : partial(`HTTP ${status}`, body);
}
