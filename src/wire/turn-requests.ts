/** Bodies sent to a turn under way: a decision, a message, results of client tools, nothing at all. Rules: AP6, LC26, TC27, SE20, SE59. */
import { z } from "zod";
import { approvalDecisions, type DecisionInput } from "../contracts/approval.ts";
import type { InputPart } from "../contracts/message.ts";
import { succeed } from "../contracts/result.ts";
import type { ToolResult } from "../contracts/tool.ts";
import type { ClientToolResult } from "../contracts/verbs.ts";
import { type DecodeBody, parseBody } from "./body.ts";
import { isId } from "./ids.ts";
import { decodeInput, inputSchema, textSchema } from "./input.ts";
import { omitUndefined } from "./present.ts";

/** More than any batch has calls. */
const maxResults = 256;

const emptyBody = z.strictObject({});

const decisionBody = z
  .strictObject({
    decision: z.enum(approvalDecisions),
    replacement: z.string().exactOptional(),
    note: z.string().exactOptional(),
  })
  .refine(({ decision, replacement }) => (decision === "replace") === (replacement !== undefined), {
    path: ["replacement"],
    message: "given with the decision replace, and with no other",
  });

/** `text` is the short form of an input that is one text. */
const messageBody = z
  .strictObject({ input: inputSchema.exactOptional(), text: textSchema.exactOptional() })
  .refine(({ input, text }) => (input === undefined) !== (text === undefined), {
    path: ["input"],
    message: "a message has either input or text",
  });

const toolResult = z
  .strictObject({
    call_id: z.string().refine((id) => isId("call", id), { message: "not a call id" }),
    success: z.boolean().exactOptional(),
    output: z.string().exactOptional(),
    error: z.string().exactOptional(),
    data: z.json().exactOptional(),
  })
  .refine(({ output, error }) => output !== undefined || error !== undefined, {
    message: "a result has output or error",
  })
  .refine(({ success, output, error }) => success !== true || (output !== undefined && error === undefined), {
    path: ["success"],
    message: "a success has output and no error",
  });

const toolResultsBody = z.strictObject({
  results: z
    .array(toolResult)
    .min(1)
    .max(maxResults)
    .refine((results) => new Set(results.map(({ call_id: id }) => id)).size === results.length, {
      message: "a call is answered twice",
    }),
});

/** For verbs that are asked by their address alone. */
export const decodeNoBody: DecodeBody<unknown> = (value) => parseBody(emptyBody, value);

export const decodeDecisionBody: DecodeBody<DecisionInput> = (value) => parseBody(decisionBody, value);

export const decodeMessageBody: DecodeBody<readonly InputPart[]> = (value) => {
  const parsed = parseBody(messageBody, value);
  return parsed.ok ? succeed(decodeInput(parsed.value.input ?? parsed.value.text ?? "")) : parsed;
};

export const decodeToolResultsBody: DecodeBody<readonly ClientToolResult[]> = (value) => {
  const parsed = parseBody(toolResultsBody, value);
  if (!parsed.ok) return parsed;
  return succeed(parsed.value.results.map((wire) => ({ callId: wire.call_id, result: decodeResult(wire) })));
};

/** Without a word of its own, a result with an error has failed and one without has not. */
function decodeResult({ success, output, error, data }: z.infer<typeof toolResult>): ToolResult {
  const failed = success === undefined ? error !== undefined : !success;
  if (failed) return omitUndefined({ success: false as const, error: error ?? "", output, data });
  return omitUndefined({ success: true as const, output: output ?? "", data });
}
