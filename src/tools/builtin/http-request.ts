/** http_request: one guarded GET, its answer as text. Rules: SE42, TC25, TC30. */
import { z } from "zod";
import type { ToolFetchAnswer, ToolResult } from "../../contracts/tool.ts";
import { digestBytes } from "../../receipts/digest.ts";
import { EgressRefusal } from "../egress-refusal.ts";
import { areModelHeaders } from "../request-headers.ts";
import { fail, ok, partial } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/;
const TEXT_TYPE =
  /^(?:text\/.*|.*\+(?:json|xml)|application\/(?:json|xml|javascript|yaml|x-ndjson|x-www-form-urlencoded))$/;

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
    const body = await readBody(answer);
    return answer.ok ? ok(body) : failedAnswer(answer.status, body);
  },
});

function failedAnswer(status: number, body: string): ToolResult {
  return body === "" ? fail(`HTTP ${status}`) : partial(`HTTP ${status}`, body);
}

/** Text as it is; anything else by type, size and the start of its digest. */
async function readBody(answer: ToolFetchAnswer): Promise<string> {
  const essence = answer.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";
  if (TEXT_TYPE.test(essence)) return answer.text();
  const bytes = await answer.bytes();
  if (bytes.length === 0) return "";
  const mime = MEDIA_TYPE.test(essence) ? essence : "application/octet-stream";
  return `[BINARY:${mime} ${bytes.length} bytes sha256=${digestBytes(bytes).slice(0, 16)}]`;
}
