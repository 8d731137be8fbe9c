/** Schema of `runtime_profiles.<name>`: how an agent runs. Rules: CF2, RX6. */
import { z } from "zod";
import { listOf, patterns, section, text, whole } from "./fields.ts";

const defaultIterations = 10;

const filterGroupSchema = section({
  mode: z
    .enum(["always", "dynamic"])
    .default("dynamic")
    .describe("`dynamic` shows the tools when a keyword is in the message."),
  tools: patterns.describe("MCP tools of the group."),
  keywords: listOf(text).default([]).describe("Words that show the group."),
});

const historyPruningSchema = section({
  enabled: z.boolean().default(false).describe("Apply this second budget too."),
  max_tokens: whole(0).default(8192).describe("Tokens; the lower budget that is not 0 holds."),
});

const pacingSchema = section({
  step_timeout_secs: whole(1).nullable().default(null).describe("Time for one model call; null sets no limit."),
  loop_detection_enabled: z.boolean().default(true).describe("Watch for calls that go in circles."),
  loop_detection_window_size: whole(1).default(20).describe("Calls that the detector remembers."),
  loop_detection_max_repeats: whole(1).default(3).describe("Exact repeats before the first warning."),
  loop_detection_min_elapsed_secs: whole(0)
    .nullable()
    .default(null)
    .describe("Running time after which identical output ends the turn; null never does."),
  loop_ignore_tools: patterns.default([]).describe("Tools that the detector does not look at."),
});

export const costSchema = section({
  enabled: z.boolean().default(true).describe("Meter what turns cost and hold the limits."),
  daily_limit_usd: z.number().positive().default(10).describe("Spend of a tenant per UTC day that stops turns."),
  monthly_limit_usd: z.number().positive().default(100).describe("The same per UTC month."),
  warn_at_percent: whole(1, 100).default(80).describe("Share of a limit from which the operator is warned."),
});

export const runtimeProfileSchema = section({
  max_tool_iterations: whole(0)
    .default(defaultIterations)
    .overwrite((count) => (count === 0 ? defaultIterations : count))
    .describe("Model calls per turn; 0 means 10."),
  max_iteration_behavior: z
    .enum(["graceful_summary", "error"])
    .default("graceful_summary")
    .describe("What happens when they are used up."),
  parallel_tools: z.boolean().default(false).describe("Calls of one batch may run side by side."),
  max_parallel_tools: whole(1, 6).default(6).describe("At most so many at once."),
  tool_timeout_secs: whole(1, 600).default(60).describe("Time for one call, unless its tool or server says otherwise."),
  client_tool_timeout_secs: whole(1, 2_592_000)
    .default(120)
    .describe("How long a call that the client runs is waited for."),
  no_progress_secs: whole(1).default(300).describe("Running time without progress before a turn counts as stuck."),
  max_tool_result_chars: whole(0)
    .default(50_000)
    .describe("Code points of a result that the model sees; 0 sets no bound."),
  max_stored_result_bytes: whole(1).default(8_388_608).describe("Bytes of a raw result that are stored."),
  read_result_tool: z.boolean().default(false).describe("Offer `read_result` for what was cut off."),
  dedup_enabled: z.boolean().default(true).describe("Refuse the same call twice in one batch."),
  tool_call_dedup_exempt: patterns.default([]).describe("Tools that may repeat in a batch."),
  strict_tool_parsing: z.boolean().default(false).describe("Take native calls only, none that are written as text."),
  detect_protocol_without_tools: z
    .boolean()
    .default(true)
    .describe("Treat calls written as text as malformed also when no tool was offered."),
  tool_filter_groups: listOf(filterGroupSchema).prefault([]).describe("Shows MCP tools by the words of the message."),
  draft_reasoning: z
    .enum(["off", "status", "full"])
    .default("status")
    .describe("What clients see of reasoning: nothing, that it happens, its text."),
  redact_events: z.boolean().default(true).describe("Hide credentials in what clients are shown."),
  on_busy: z
    .enum(["queue", "reject", "steer", "interrupt"])
    .default("queue")
    .describe("What a new turn does while another one is under way."),
  max_context_tokens: whole(0).default(32_000).describe("Budget of the history; 0 sets none."),
  max_history_messages: whole(0).default(50).describe("Messages of the history that are kept; 0 keeps all."),
  history_pruning: historyPruningSchema.prefault({}).describe("A second, tighter budget."),
  max_delegation_depth: whole(0, 3).default(3).describe("Levels of delegation below the first agent."),
  pacing: pacingSchema.prefault({}).describe("Time limits and loop detection."),
  cost: costSchema.prefault({}).describe("Spending limits."),
});
