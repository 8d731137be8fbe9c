/** Schema of `limits`: of objects, streams, tenants. Rules: CF2, DU3, DU31–DU33, DU44, DU47, SE83. */
import { section, whole } from "./fields.ts";

export const tenantLimitsSchema = section({
  requests_per_minute: whole(1).default(12_000).describe("Requests."),
  turns_per_minute: whole(1).default(6000).describe("New turns."),
  max_running_turns: whole(1).default(100).describe("Turns under way at once."),
  max_queued_turns: whole(0).default(1000).describe("Turns that wait."),
  max_streams: whole(1).default(1000).describe("Open event streams."),
  max_pending_approvals: whole(0).default(1000).describe("Approvals that wait."),
  max_conversations: whole(1).default(1_000_000).describe("Conversations."),
  max_callbacks: whole(0).default(100).describe("Registered callbacks, and undelivered ones."),
});

export const limitsSchema = section({
  max_queued_turns: whole(0).default(16).describe("Turns that wait in one conversation."),
  max_streams_per_conversation: whole(1).default(50).describe("Open event streams of one conversation."),
  max_stream_secs: whole(1).default(3600).describe("Life of one stream; clients come back by cursor."),
  sse_linger_secs: whole(0).default(20).describe("How long a stream stays open on a suspended turn."),
  delta_flush_ms: whole(1).default(50).describe("Text that arrives within this time is written as one row."),
  max_context_bytes: whole(1).default(4_194_304).describe("History that is read for one model call."),
  max_conversation_bytes: whole(1).default(1_073_741_824).describe("Storage of one conversation."),
  event_retention_secs: whole(0).default(86_400).describe("How long events of a finished turn are kept."),
  tenant: tenantLimitsSchema.prefault({}).describe("Limits of each tenant."),
});
