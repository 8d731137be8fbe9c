/** Tool availability: whether an agent may have a tool in this run, and if not, what withholds it. Rules: RG2–RG6, RG8, TS3, TS4, DG3. */
import type { RiskProfile } from "../contracts/agent-profile.ts";
import type { ToolOrigin } from "../contracts/tool.ts";
import type { TurnNarrowing } from "../contracts/turn.ts";
import { matchesAny, matchesExcluded } from "./name-pattern.ts";

export interface ToolBundle {
  readonly tools: readonly string[];
  readonly exclude: readonly string[];
}

export interface CandidateTool {
  readonly name: string;
  readonly origin: ToolOrigin;
  readonly readOnly: boolean;
}

export interface AvailabilityPolicy {
  readonly profile: Pick<RiskProfile, "level" | "allowedTools" | "excludedTools" | "mcpAutoAdmit">;
  readonly narrowing: Pick<TurnNarrowing, "allowedTools" | "excludedTools">;
  /** Of a delegate: real names of what its caller has (DG3). */
  readonly within?: ReadonlySet<string>;
  /** The bundles that the agent names. They choose among configured tools only; none named: all of them. */
  readonly bundles?: readonly ToolBundle[];
}

export type Availability = "granted" | "not_bundled" | "not_allowed" | "level" | "narrowed" | "excluded";

interface Withholding {
  readonly reason: Exclude<Availability, "granted">;
  readonly withholds: (tool: CandidateTool, policy: AvailabilityPolicy) => boolean;
}

/** Each can only take away, so their order decides the reason and never the grant. */
const withholdings: readonly Withholding[] = [
  {
    reason: "not_bundled",
    withholds: ({ name, origin }, { bundles }) => isConfigured(origin) && !isBundled(name, bundles),
  },
  { reason: "not_allowed", withholds: (tool, { profile }) => !isAdmitted(tool, profile) },
  { reason: "level", withholds: ({ readOnly }, { profile }) => profile.level === "read_only" && !readOnly },
  {
    reason: "narrowed",
    withholds: ({ name }, { narrowing: { allowedTools } }) =>
      allowedTools !== undefined && !matchesAny(allowedTools, name),
  },
  { reason: "narrowed", withholds: ({ name }, { within }) => within?.has(name) === false },
  { reason: "excluded", withholds: (tool, policy) => isExcluded(tool, policy) },
];

export function availabilityOf(tool: CandidateTool, policy: AvailabilityPolicy): Availability {
  return withholdings.find(({ withholds }) => withholds(tool, policy))?.reason ?? "granted";
}

/** The one matcher of exclusions, of the profile and of the run, wherever they are looked at (TS4). */
export function isExcluded(
  { name }: Pick<CandidateTool, "name">,
  { profile, narrowing }: Pick<AvailabilityPolicy, "profile" | "narrowing">,
): boolean {
  const lists = [profile.excludedTools, narrowing.excludedTools ?? []];
  return lists.some((list) => matchesExcluded(list, name));
}

/** A client tool may be a request's own, which no bundle knows; a configured one is chosen where the tools are put together. */
const isConfigured = (origin: ToolOrigin): boolean => origin === "code" || origin === "http" || origin === "service";

/** Any bundle may bring a tool in; any bundle's exclusion keeps it out, whoever else names it (RG3). */
function isBundled(name: string, bundles: readonly ToolBundle[] = []): boolean {
  if (bundles.length === 0) return true;
  return (
    bundles.some(({ tools }) => matchesAny(tools, name)) && !bundles.some(({ exclude }) => matchesAny(exclude, name))
  );
}

/** MCP tools pass by origin, never by the look of their name (RG4). */
function isAdmitted(
  { name, origin }: CandidateTool,
  { allowedTools, mcpAutoAdmit }: AvailabilityPolicy["profile"],
): boolean {
  return allowedTools.length === 0 || matchesAny(allowedTools, name) || (origin === "mcp" && mcpAutoAdmit);
}
