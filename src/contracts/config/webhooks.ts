/** Schemas of `hooks[]` and `callbacks[]`: webhooks in and out. Rules: CF2, WH1, SE45, SE48–SE50. */
import { z } from "zod";
import { alias, bindingName, filledText, listOf, section, tenant, webUrl } from "./fields.ts";

const callbackEvents = ["turn.finished", "turn.suspended", "approval.requested"] as const;
const events = listOf(z.enum(callbackEvents));

const turnCallbackSchema = section({
  url: webUrl.describe("Where the answer is sent."),
  events: events.optional().describe("What is sent; the tenant's callback decides by default."),
});

const hookKeys = {
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: "must be at most 64 lower-case letters, digits and `-`" })
    .describe("Last part of /v1/hooks/{name}."),
  tenant: tenant.describe("Whose conversations its turns are."),
  secret: z
    .union([bindingName, z.array(bindingName).min(1).max(2)])
    .transform((names): readonly string[] => (typeof names === "string" ? [names] : names))
    .describe("Name of its secret; two while it changes."),
  agent: alias.optional().describe("Who answers; the default agent otherwise."),
  conversation: filledText.describe("Template of the conversation's id."),
  input: filledText.describe("Template of the turn's input."),
  allow_events: listOf(filledText).default([]).describe("Events that start a turn; empty takes all."),
  approvals: z.enum(["prompt", "deny"]).default("prompt").describe("Ask through a backchannel, or deny."),
  callback: turnCallbackSchema.nullable().prefault(null).describe("Where its turns report to."),
  channel: filledText.optional().describe("Channel of its turns; its name by default."),
  reply_to: filledText.nullable().default(null).describe("Template of the reply target."),
};

export const hookSchema = z.discriminatedUnion("scheme", [
  section({
    scheme: z.enum(["standard_webhooks", "github", "slack", "stripe"]).describe("Who signs, and how."),
    ...hookKeys,
  }),
  section({
    scheme: z.literal("hmac_sha256").describe("Any sender that signs its body with HMAC-SHA256."),
    signature_header: filledText.describe("Header with the signature."),
    signature_encoding: z.enum(["hex", "base64"]).default("hex").describe("How it is written."),
    time_header: filledText.nullable().default(null).describe("Header with the signed time."),
    ...hookKeys,
  }),
]);

export const callbackSchema = section({
  tenant: z
    .union([z.literal("*"), tenant], { error: 'must be a tenant or "*"' })
    .describe("Whose turns it hears of; `*` for all."),
  url: webUrl.describe("Where it is."),
  events: events.default(callbackEvents).describe("What it hears of."),
  channel: filledText.nullable().default(null).describe("Makes it a channel that may approve."),
  include_results: z.boolean().default(false).describe("Send bounded, redacted results along."),
  propagate_trace: z.boolean().default(false).describe("Send the trace context along."),
});

export type InboundHook = z.output<typeof hookSchema>;
export type CallbackSettings = z.output<typeof callbackSchema>;
