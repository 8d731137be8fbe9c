/** Bodies that begin something: strict schemas in wire names, translated to the contracts' types in the same place. Rules: RX5, RX11, SE59, SE90, VW5, TC29. */
import { z } from "zod";
import { namePattern } from "../contracts/config/fields.ts";
import type { ReceiptClaim } from "../contracts/receipt.ts";
import { succeed } from "../contracts/result.ts";
import type { TurnRequest } from "../contracts/turn.ts";
import type { CreateConversation } from "../contracts/verbs.ts";
import { type DecodeBody, parseBody } from "./body.ts";
import { keyPattern } from "./idempotency-key.ts";
import { decodeInput, inputSchema } from "./input.ts";
import { clientTools } from "./client-tools.ts";
import { omitUndefined } from "./present.ts";

const maxMetadataEntries = 16;
/** Characters of one value: of a string itself, of anything else its JSON text. */
const maxMetadataChars = 512;

const metadata = z
  .record(z.string(), z.json())
  .refine((entries) => Object.keys(entries).length <= maxMetadataEntries, { message: "more than 16 entries" })
  .refine((entries) => Object.values(entries).every(isShort), { message: "a value has more than 512 characters" });

/** The pattern is looked at only where its length is one that a pattern may have. */
const toolNames = z.array(z.string().max(128).pipe(namePattern));
const count = z.int().nonnegative();

const conversationBody = z.strictObject({ agent: z.string().exactOptional(), metadata: metadata.exactOptional() });

const turnBody = z.strictObject({
  input: inputSchema,
  agent: z.string().exactOptional(),
  allowed_tools: toolNames.exactOptional(),
  excluded_tools: toolNames.exactOptional(),
  max_tool_iterations: count.exactOptional(),
  parallel_tools: z.boolean().exactOptional(),
  max_tool_result_chars: count.exactOptional(),
  on_busy: z.enum(["queue", "reject", "steer", "interrupt"]).exactOptional(),
  metadata: metadata.exactOptional(),
  approvals: z.enum(["prompt", "deny"]).exactOptional(),
  client_tools: clientTools.exactOptional(),
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

export const decodeConversationBody: DecodeBody<CreateConversation> = (value) => parseBody(conversationBody, value);

export const decodeTurnBody: DecodeBody<TurnBody> = (value) => {
  const parsed = parseBody(turnBody, value);
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
    clientTools: body.client_tools,
  });
  return succeed(omitUndefined({ request, clientMessageId: body.client_message_id }));
};

export const decodeVerifyBody: DecodeBody<VerifyBody> = (value) => {
  const parsed = parseBody(verifyBody, value);
  if (!parsed.ok) return parsed;
  const { conversation, ...claim } = parsed.value;
  return succeed({ conversation, claim });
};

const isShort = (value: unknown): boolean => {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= maxMetadataChars || Array.from(text).length <= maxMetadataChars;
};
