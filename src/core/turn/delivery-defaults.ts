/** Delivery defaults: where a question or a scheduled job is answered, when the model did not say. Rules: CP9, CP10. */
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import type { Tool } from "../../contracts/tool.ts";
import { foldAscii } from "../../policy/fold-ascii.ts";
import type { TurnIdentity } from "./turn-context.ts";

const ASKING: ReadonlySet<string> = new Set(["ask_user", "poll", "escalate_to_human"]);
const NO_CHANNEL: ReadonlySet<string> = new Set(["", "agent", "daemon"]);
const ANNOUNCING: ReadonlySet<string> = new Set([
  "telegram",
  "discord",
  "slack",
  "mattermost",
  "matrix",
  "dingtalk",
  "lark",
  "feishu",
]);

const isBlank = (value: JsonValue | undefined): boolean =>
  value === undefined || value === null || (typeof value === "string" && value.trim() === "");

/** Fills what is missing, and nothing else. */
export function applyDeliveryDefaults(
  { channel, replyTarget }: Pick<TurnIdentity, "channel" | "replyTarget">,
  { definition: { name } }: Tool,
  args: JsonObject,
): JsonObject {
  if (ASKING.has(name)) {
    const origin = channel.trim();
    return isBlank(args["channel"]) && !NO_CHANNEL.has(origin) ? { ...args, channel: origin } : args;
  }
  return name === "cron_add" ? withDelivery(args, channel, replyTarget?.trim() ?? "") : args;
}

function withDelivery(args: JsonObject, channel: string, to: string): JsonObject {
  if (!ANNOUNCING.has(channel) || to === "" || !isAgentJob(args)) return args;
  const { delivery } = args;
  const announce = { mode: "announce", channel, to };
  if (delivery === undefined || delivery === null) return { ...args, delivery: announce };
  if (typeof delivery !== "object" || isArray(delivery)) return args;
  if (typeof delivery["mode"] === "string" && foldAscii(delivery["mode"].trim()) === "none") return args;
  const missing = Object.entries(announce).filter(([key]) => isBlank(delivery[key]));
  return { ...args, delivery: { ...delivery, ...Object.fromEntries(missing) } };
}

const isArray = (value: JsonValue): value is readonly JsonValue[] => Array.isArray(value);

function isAgentJob({ job_type: jobType, prompt }: JsonObject): boolean {
  if (typeof jobType === "string" && foldAscii(jobType.trim()) === "agent") return true;
  return typeof prompt === "string" && prompt.trim() !== "";
}
