/** Names in the file that must lead somewhere in the file. Rules: CF3, PV16. */
import { type CheckedFile, createFault, createWarning, type Finding } from "../finding.ts";
import { namesIn, type PathPart, selectPlaces, selectTexts } from "../value-paths.ts";

interface Reference {
  /** Where the name is used. */
  readonly from: string;
  /** What it names, for people. */
  readonly what: string;
  readonly known: (file: unknown) => readonly string[];
  /** A missing one stops start-up, or only grants nothing. */
  readonly severity: "fault" | "warning";
  /** The name inside the text; the text itself when left out. */
  readonly nameIn?: (text: string) => string;
}

const agents = (file: unknown): readonly string[] => namesIn(file, "agents");
const providers = (file: unknown): readonly string[] => namesIn(file, "providers");
/** The profile `default` exists in every file (CF4). */
const profiles = (section: string) => (file: unknown) => ["default", ...namesIn(file, section)];

const references: readonly Reference[] = [
  { from: "default_agent", what: "agent", known: agents, severity: "fault" },
  { from: "agents.*.model_provider", what: "provider", known: providers, severity: "fault" },
  { from: "agents.*.risk_profile", what: "risk profile", known: profiles("risk_profiles"), severity: "fault" },
  { from: "agents.*.runtime_profile", what: "runtime profile", known: profiles("runtime_profiles"), severity: "fault" },
  { from: "agents.*.delegates.*", what: "agent", known: agents, severity: "fault" },
  {
    from: "agents.*.switchable_models.*",
    what: "provider",
    known: providers,
    severity: "fault",
    nameIn: (text) => text.slice(0, text.indexOf("/")),
  },
  {
    from: "agents.*.tool_bundles.*",
    what: "tool bundle",
    known: (file) => namesIn(file, "tool_bundles"),
    severity: "warning",
  },
  {
    from: "agents.*.mcp_bundles.*",
    what: "MCP bundle",
    known: (file) => namesIn(file, "mcp.bundles"),
    severity: "warning",
  },
  {
    from: "mcp.bundles.*.servers.*",
    what: "MCP server",
    known: (file) => selectTexts(file, "mcp.servers.*.name").map(({ value }) => value),
    severity: "warning",
  },
  { from: "providers.*.members.*", what: "provider", known: providers, severity: "fault" },
  { from: "hooks.*.agent", what: "agent", known: agents, severity: "fault" },
];

function checkReference(file: unknown, { from, what, known, severity, nameIn }: Reference): readonly Finding[] {
  const names = new Set(known(file));
  return selectTexts(file, from).flatMap(({ path, value }) => {
    const name = nameIn === undefined ? value : nameIn(value);
    if (names.has(name)) return [];
    return severity === "fault"
      ? [createFault(path, `there is no ${what} of this name`)]
      : [createWarning(path, `there is no ${what} of this name, so it grants nothing`)];
  });
}

function isRoute(file: unknown, provider: string): boolean {
  return selectTexts(file, "providers.*.kind").some(({ path, value }) => value === "route" && path[1] === provider);
}

function checkRouteMembers(file: unknown): readonly Finding[] {
  return selectTexts(file, "providers.*.members.*")
    .filter(({ value }) => isRoute(file, value))
    .map(({ path }) => createFault(path, "is a route itself; the members of a route are single providers"));
}

export function checkReferences({ file }: CheckedFile): readonly Finding[] {
  return [...references.flatMap((reference) => checkReference(file, reference)), ...checkRouteMembers(file)];
}

/** An agent that takes turns is needed, and the one that answers by default must be such a one. */
export function checkEnabledAgents({ file }: CheckedFile): readonly Finding[] {
  const disabled = disabledAgents(file);
  const [byDefault] = selectTexts(file, "default_agent");
  const unusable = byDefault !== undefined && disabled.has(byDefault.value);
  const none = namesIn(file, "agents").every((name) => disabled.has(name));
  return [
    ...(unusable ? [createFault(byDefault.path, "names an agent that is disabled")] : []),
    ...(none ? [createFault(["agents"], "needs at least one agent that is enabled")] : []),
  ];
}

function disabledAgents(file: unknown): ReadonlySet<PathPart | undefined> {
  return new Set(
    selectPlaces(file, "agents.*.enabled")
      .filter(({ value }) => value === false)
      .map(({ path }) => path[1]),
  );
}
