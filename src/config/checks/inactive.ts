/** Keys that are read and checked, and do nothing in this release: each that a file sets otherwise than by default says so. Rules: CF2. */
import type { z } from "zod";
import { authSchema, egressSchema } from "../../contracts/config/access.ts";
import { toolReceiptsSchema } from "../../contracts/config/agent.ts";
import { limitsSchema, tenantLimitsSchema } from "../../contracts/config/limits.ts";
import { observabilitySchema } from "../../contracts/config/observability.ts";
import { providerSchema } from "../../contracts/config/providers.ts";
import { costSchema } from "../../contracts/config/runtime-profile.ts";
import { isObject } from "../../contracts/json.ts";
import { type CheckedFile, createWarning, type Finding } from "../finding.ts";
import { membersOf, selectPlaces } from "../value-paths.ts";

/** A value with the section or list that it stands in. */
interface Member {
  readonly key: string | number;
  readonly value: unknown;
  readonly section: unknown;
}
type IsInactive = (member: Member) => boolean;

interface Inactive {
  /** A place; its last step may be `*`, for every key of a section. */
  readonly form: string;
  /** What this release has none of. */
  readonly what: string;
  readonly isInactive: IsInactive;
}

const written: IsInactive = ({ value }) => value !== undefined;
const filled: IsInactive = ({ value }) => Array.isArray(value) && value.length > 0;
const oneOf =
  (...values: readonly unknown[]): IsInactive =>
  ({ value }) =>
    values.includes(value);

/** True when the section reads otherwise without the key. One with faults is for the schema to refuse. */
function changes(schema: z.ZodType): IsInactive {
  return ({ section, key }) => {
    if (!isObject(section)) return false;
    const without = Object.fromEntries(Object.entries(section).filter(([name]) => name !== key));
    const [one, other] = [schema.safeParse(section), schema.safeParse(without)];
    return one.success && other.success && asText(one.data) !== asText(other.data);
  };
}

const asText = (settings: unknown): string =>
  JSON.stringify(settings, (_, value: unknown) => (value instanceof Map ? [...value] : value));

const activeProviders: readonly unknown[] = ["embedded", "openai_compatible"];
const toolReceipts = changes(toolReceiptsSchema);
const provider = changes(providerSchema);
const tenantLimit = changes(tenantLimitsSchema);
const observability = changes(observabilitySchema);

const noTrace = "trace context that could be sent along";

/** Also the list in the config reference. */
export const inactiveKeys: readonly Inactive[] = [
  {
    form: "providers.*.kind",
    what: "providers of this kind; turns of its agents fail",
    isInactive: ({ value }) => !activeProviders.includes(value),
  },
  { form: "providers.*.propagate_trace", what: noTrace, isInactive: provider },
  {
    form: "providers.*.models.*.context_tokens",
    what: "limit by a model's context; `max_context_tokens` is the only one",
    isInactive: written,
  },
  { form: "mcp.elicitation", what: "way to ask the user for a server; it is declined", isInactive: oneOf("ask") },
  {
    form: "mcp.servers.*.auth",
    what: "OAuth; the server is asked without a token",
    isInactive: ({ value }) => isObject(value),
  },
  { form: "mcp.servers.*.propagate_trace", what: noTrace, isInactive: oneOf(true) },
  { form: "hooks", what: "inbound webhooks; their routes do not exist", isInactive: filled },
  { form: "callbacks", what: "callbacks; nothing is sent", isInactive: filled },
  {
    form: "auth.*",
    what: "JWT issuers, conversation tokens or tickets; they are refused",
    isInactive: changes(authSchema),
  },
  {
    form: "egress.resolve",
    what: "lookup of names before a request; names are judged as they are written",
    isInactive: changes(egressSchema),
  },
  {
    form: "agents.*.tool_receipts.retention_days",
    what: "removal of old receipts; they stay",
    isInactive: toolReceipts,
  },
  {
    form: "risk_profiles.*.approval_route.approver_channel",
    what: "channel but `http` that somebody could answer through",
    isInactive: ({ value }) => typeof value === "string" && value !== "http",
  },
  {
    form: "runtime_profiles.*.cost.warn_at_percent",
    what: "warning before a spending limit; the limits themselves hold",
    isInactive: changes(costSchema),
  },
  {
    form: "limits.max_conversation_bytes",
    what: "limit on a conversation's storage; it may grow",
    isInactive: changes(limitsSchema),
  },
  {
    form: "limits.event_retention_secs",
    what: "removal of old events; they stay",
    isInactive: changes(limitsSchema),
  },
  { form: "limits.tenant.requests_per_minute", what: "count of requests per tenant", isInactive: tenantLimit },
  { form: "limits.tenant.max_streams", what: "count of streams per tenant", isInactive: tenantLimit },
  { form: "limits.tenant.max_callbacks", what: "callbacks that it could limit", isInactive: tenantLimit },
  {
    form: "observability.log_level",
    what: "level above `info`; everything from there on is logged",
    isInactive: oneOf("warn", "error"),
  },
  { form: "observability.otlp_endpoint", what: "export of traces; nothing is sent", isInactive: observability },
  { form: "observability.otlp_headers", what: "export of traces; nothing is sent", isInactive: observability },
  { form: "observability.capture_content", what: "export of traces; nothing is sent", isInactive: observability },
  { form: "observability.analytics_binding", what: "metrics that could be written there", isInactive: observability },
];

/** In file order within each form; every place is told once. */
export function checkInactive({ file }: CheckedFile): readonly Finding[] {
  return inactiveKeys.flatMap(({ form, what, isInactive }) => {
    const steps = form.split(".");
    const last = steps.at(-1);
    const sections =
      steps.length === 1 ? [{ path: [], value: file }] : selectPlaces(file, steps.slice(0, -1).join("."));
    return sections.flatMap((section) =>
      membersOf(section).flatMap(({ path, value }) => {
        const key = path.at(-1);
        if (key === undefined || (last !== "*" && last !== key)) return [];
        const found = isInactive({ key, value, section: section.value });
        return found ? [createWarning(path, `accepted, but this release has no ${what}`)] : [];
      }),
    );
  });
}
