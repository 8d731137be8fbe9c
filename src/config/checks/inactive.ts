/** Sections that are read and checked, and do nothing in this release: each says so. Rules: CF2. */
import { type CheckedFile, createWarning, type Finding } from "../finding.ts";
import { type Place, selectPlaces } from "../value-paths.ts";

interface Inactive {
  readonly form: string;
  readonly what: string;
  readonly isInactive: (value: unknown) => boolean;
}

const activeProviders: readonly unknown[] = ["embedded", "openai_compatible"];
const filled = (value: unknown): boolean => Array.isArray(value) && value.length > 0;

/** Also the list in the config reference. */
export const inactiveSections: readonly Inactive[] = [
  {
    form: "providers.*.kind",
    what: "providers of this kind; turns of its agents fail",
    isInactive: (kind) => !activeProviders.includes(kind),
  },
  {
    form: "tools.*.kind",
    what: "tools of the kinds `http` and `service`; it is not offered",
    isInactive: (kind) => kind === "http" || kind === "service",
  },
  { form: "mcp.servers", what: "MCP servers; none of them is connected", isInactive: filled },
  { form: "hooks", what: "inbound webhooks; their routes do not exist", isInactive: filled },
  { form: "callbacks", what: "callbacks; nothing is sent", isInactive: filled },
  { form: "auth.issuers", what: "JWT issuers; their tokens are refused", isInactive: filled },
  { form: "agents.*.delegates", what: "delegates; none is offered", isInactive: filled },
  { form: "agents.*.switchable_models", what: "model switch; none is offered", isInactive: filled },
  {
    form: "agents.*.tool_receipts.on_fabricated",
    what: "check of quoted receipts; nothing is stripped or failed",
    isInactive: (value) => value !== "flag",
  },
  {
    form: "risk_profiles.*.approval_route",
    what: "channels that could be asked; its approvals can only expire",
    isInactive: (value) => value !== null,
  },
  { form: "runtime_profiles.*.cost", what: "spending limits; nothing is refused for its cost", isInactive: () => true },
  { form: "limits.tenant", what: "tenant quotas; none is enforced", isInactive: () => true },
  {
    form: "observability.otlp_endpoint",
    what: "export of traces; nothing is sent",
    isInactive: (value) => value !== null,
  },
];

function warn({ path }: Place, what: string): Finding {
  return createWarning(path, `accepted, but this release has no ${what}`);
}

export function checkInactive({ file }: CheckedFile): readonly Finding[] {
  return inactiveSections.flatMap(({ form, what, isInactive }) =>
    selectPlaces(file, form)
      .filter(({ value }) => isInactive(value))
      .map((place) => warn(place, what)),
  );
}
