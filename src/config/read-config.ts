/** readConfig: from what a config file exports to the configuration, or to everything that is wrong with it. Rules: CF2–CF6. */
import type { AgentProfile } from "../contracts/agent-profile.ts";
import { type CountersignConfig, configFileSchema } from "../contracts/config.ts";
import { riskProfileSchema } from "../contracts/config/risk-profile.ts";
import { runtimeProfileSchema } from "../contracts/config/runtime-profile.ts";
import type { Fault } from "../contracts/json.ts";
import { describeIssue } from "../wire/describe-issue.ts";
import { checkEgress } from "./checks/egress.ts";
import { checkInactive } from "./checks/inactive.ts";
import { checkPrices } from "./checks/prices.ts";
import { checkEnabledAgents, checkReferences } from "./checks/references.ts";
import { checkSecrets } from "./checks/secrets.ts";
import { checkServerNames, checkToolNames } from "./checks/tool-names.ts";
import { checkUrls } from "./checks/urls.ts";
import type { ConfigCheck, ConfigEnvironment, Finding } from "./finding.ts";
import { toFindings } from "./schema-faults.ts";
import { findUnreadable } from "./unreadable.ts";
import { formatPath } from "./value-paths.ts";

export type ConfigReading =
  | { readonly ok: true; readonly config: CountersignConfig; readonly warnings: readonly Fault[] }
  | { readonly ok: false; readonly faults: readonly Fault[]; readonly warnings: readonly Fault[] };

const checks: readonly ConfigCheck[] = [
  checkEnabledAgents,
  checkReferences,
  checkToolNames,
  checkServerNames,
  checkSecrets,
  checkEgress,
  checkUrls,
  checkPrices,
  checkInactive,
];

/** A file that throws while it is read has that one fault; what was thrown is not repeated. */
export function readConfig(file: unknown, environment: ConfigEnvironment): ConfigReading {
  try {
    return judgeFile(file, environment);
  } catch (error) {
    const path = findUnreadable(file);
    if (path === undefined) throw error;
    return { ok: false, faults: [{ path: formatPath(path), message: "cannot be read" }], warnings: [] };
  }
}

/** Schema and checks both judge the file as it was written, so one fault hides no other. */
function judgeFile(file: unknown, environment: ConfigEnvironment): ConfigReading {
  const parsed = configFileSchema.safeParse(file, { error: describeIssue, reportInput: true });
  const found = [
    ...(parsed.success ? [] : toFindings(parsed.error)),
    ...checks.flatMap((check) => check({ file, environment })),
  ];
  const faults = withSeverity(found, "fault");
  const warnings = withSeverity(found, "warning");
  if (!parsed.success || faults.length > 0) return { ok: false, faults, warnings };
  return { ok: true, config: complete(parsed.data), warnings };
}

function withSeverity(found: readonly Finding[], severity: Finding["severity"]): readonly Fault[] {
  return found.flatMap((finding) =>
    finding.severity === severity ? [{ path: finding.path, message: finding.message }] : [],
  );
}

/** What one key takes from another: aliases in agents, the profiles that always exist, the default agent. */
function complete(parsed: ReturnType<typeof configFileSchema.parse>): CountersignConfig {
  const agents = new Map(
    Array.from(parsed.agents, ([alias, agent]): [string, AgentProfile] => [alias, Object.freeze({ alias, ...agent })]),
  );
  return Object.freeze({
    ...parsed,
    agents,
    defaultAgent: parsed.defaultAgent ?? firstEnabled(agents),
    riskProfiles: withDefault(parsed.riskProfiles, () => riskProfileSchema.parse({})),
    runtimeProfiles: withDefault(parsed.runtimeProfiles, () => runtimeProfileSchema.parse({})),
  });
}

function firstEnabled(agents: ReadonlyMap<string, AgentProfile>): string {
  const found = Array.from(agents.values()).find(({ enabled }) => enabled);
  if (found === undefined) throw new Error("the check for enabled agents let a file without any pass");
  return found.alias;
}

function withDefault<Profile>(
  profiles: ReadonlyMap<string, Profile>,
  create: () => Profile,
): ReadonlyMap<string, Profile> {
  return profiles.has("default") ? profiles : new Map([...profiles, ["default", create()]]);
}
