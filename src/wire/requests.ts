/** Request bodies: strict schemas in wire names, translated to the contracts' types in the same place. Rules: RX5, RX11, SE59. */
import { z } from "zod";
import type { Problem } from "../contracts/errors.ts";
import type { JsonValue } from "../contracts/json.ts";
import type { InputPart } from "../contracts/message.ts";
import type { ReceiptClaim } from "../contracts/receipt.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import type { TurnRequest } from "../contracts/turn.ts";
import type { CreateConversation } from "../contracts/verbs.ts";
import { collectFaults } from "./faults.ts";
import { keyPattern } from "./idempotency-key.ts";
import { omitUndefined } from "./present.ts";
import { invalidRequest } from "./problem.ts";
import { countUtf8Bytes } from "./utf8.ts";

/** Bytes of UTF-8 over all text of one input. */
const maxInputBytes = 256 * 1024;
const maxMetadataEntries = 16;
/** Characters of one value: of a string itself, of anything else its JSON text. */
const maxMetadataChars = 512;

const textPart = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });
const imagePart = z
  .strictObject({
    type: z.literal("image"),
    url: z.url({ protocol: /^https?$/ }).exactOptional(),
    data: z.base64().min(1).exactOptional(),
    media_type: z.string().regex(/^image\/[a-z0-9.+-]{1,64}$/),
  })
  .refine(({ url, data }) => (url === undefined) !== (data === undefined), {
    message: "an image has either url or data",
  });

const part = z.discriminatedUnion("type", [textPart, imagePart]);
type WireInput = string | z.infer<typeof part>[];
const input = z
  .union([z.string().min(1), z.array(part).min(1)])
  .refine((value) => countInputBytes(value) <= maxInputBytes, { message: "more than 256 KiB of text" });

const metadata = z
  .record(z.string(), z.json())
  .refine((entries) => Object.keys(entries).length <= maxMetadataEntries, { message: "more than 16 entries" })
  .refine((entries) => Object.values(entries).every(isShort), { message: "a value has more than 512 characters" });

const toolNames = z.array(z.string().min(1).max(128));
const count = z.int().nonnegative();

const conversationBody = z.strictObject({ agent: z.string().exactOptional(), metadata: metadata.exactOptional() });

const turnBody = z.strictObject({
  input,
  agent: z.string().exactOptional(),
  allowed_tools: toolNames.exactOptional(),
  excluded_tools: toolNames.exactOptional(),
  max_tool_iterations: count.exactOptional(),
  parallel_tools: z.boolean().exactOptional(),
  max_tool_result_chars: count.exactOptional(),
  on_busy: z.enum(["queue", "reject"]).exactOptional(),
  metadata: metadata.exactOptional(),
  approvals: z.enum(["prompt", "deny"]).exactOptional(),
  client_message_id: z.string().regex(keyPattern, "1 to 255 visible ASCII characters").exactOptional(),
});

const verifyBody = z.strictObject({
  receipt: z.string(),
  conversation: z.string(),
  tool: z.string().exactOptional(),
  arguments: z.json().exactOptional(),
  result: z.string().exactOptional(),
});

export interface TurnBody {
  readonly request: TurnRequest;
  /** Stands in for `Idempotency-Key` where headers are out of reach (SS11). */
  readonly clientMessageId?: string;
}

export interface VerifyBody {
  readonly conversation: string;
  readonly claim: ReceiptClaim;
}

/** Decoders take JSON that is already scanned and well-formed. */
export type DecodeBody<Body> = (value: JsonValue) => Result<Body, Problem>;

export const decodeConversationBody: DecodeBody<CreateConversation> = (value) => parse(conversationBody, value);

export const decodeTurnBody: DecodeBody<TurnBody> = (value) => {
  const parsed = parse(turnBody, value);
  if (!parsed.ok) return parsed;
  const body = parsed.value;
  const narrowing = omitUndefined({
    allowedTools: body.allowed_tools,
    excludedTools: body.excluded_tools,
    maxToolIterations: body.max_tool_iterations,
    parallelTools: body.parallel_tools,
    maxToolResultChars: body.max_tool_result_chars,
    approvals: body.approvals,
  });
  const request = omitUndefined({
    input: decodeInput(body.input),
    agent: body.agent,
    narrowing,
    onBusy: body.on_busy,
    metadata: body.metadata,
  });
  return succeed(omitUndefined({ request, clientMessageId: body.client_message_id }));
};

export const decodeVerifyBody: DecodeBody<VerifyBody> = (value) => {
  const parsed = parse(verifyBody, value);
  if (!parsed.ok) return parsed;
  const { conversation, ...claim } = parsed.value;
  return succeed({ conversation, claim });
};

function parse<Body>(schema: z.ZodType<Body>, value: JsonValue): Result<Body, Problem> {
  const parsed = schema.safeParse(value);
  return parsed.success ? succeed(parsed.data) : failWith(invalidRequest(collectFaults(parsed.error.issues)));
}

function decodeInput(value: WireInput): readonly InputPart[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return value.map(decodePart);
}

function decodePart(wire: z.infer<typeof part>): InputPart {
  if (wire.type === "text") return wire;
  const { type, media_type: mediaType, url, data = "" } = wire;
  return url === undefined ? { type, mediaType, data } : { type, mediaType, url };
}

function countInputBytes(value: WireInput): number {
  if (typeof value === "string") return countUtf8Bytes(value);
  return value.reduce((sum, wire) => sum + (wire.type === "text" ? countUtf8Bytes(wire.text) : 0), 0);
}

const isShort = (value: unknown): boolean => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxMetadataChars || Array.from(text).length <= maxMetadataChars;
};
