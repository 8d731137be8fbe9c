/** URLs of the file that the product itself will fetch, judged as they will be then. Rules: SE33–SE40. */
import { type EgressSettings, egressSchema } from "../../contracts/config/access.ts";
import { judgeUrl } from "../../policy/egress-guard.ts";
import type { EgressClass } from "../../policy/egress-refusal.ts";
import { type CheckedFile, createWarning, type Finding } from "../finding.ts";
import { selectPlaces, selectTexts } from "../value-paths.ts";

const fetched = [
  "providers.*.base_url",
  "mcp.servers.*.url",
  "hooks.*.callback.url",
  "callbacks.*.url",
  "auth.issuers.*.jwks_url",
  "observability.otlp_endpoint",
  "tools.*.url",
];

const forDevelopment = "for a server of your own during development, list its host:port in egress.dev_hosts";

/** What would let such a URL through, where something does. */
const remedies: Partial<Record<EgressClass, string>> = {
  scheme: `use https; ${forDevelopment}`,
  ip_literal: forDevelopment,
  hostname: forDevelopment,
  port: `list its host:port in egress.allow_ports; ${forDevelopment}`,
  not_allowed: "list its host in egress.allow_hosts",
  userinfo: "a URL holds no credentials",
};

function readEgress(file: unknown): EgressSettings | undefined {
  const [section] = selectPlaces(file, "egress");
  return egressSchema.safeParse(section?.value ?? {}).data;
}

/** Only a warning: what uses the URL fails when it does, and the rest works. */
export function checkUrls({ file, environment }: CheckedFile): readonly Finding[] {
  const egress = readEgress(file);
  if (egress === undefined) return [];
  const rules = { ...egress, production: environment.env !== "dev" };
  return fetched
    .flatMap((form) => selectTexts(file, form))
    .flatMap(({ path, value }) => {
      const judged = judgeUrl(value, rules, environment.parseUrl);
      if (judged.ok) return [];
      const refusal = judged.failure.class;
      const remedy = remedies[refusal];
      return [createWarning(path, `egress refuses it (${refusal})${remedy === undefined ? "" : `: ${remedy}`}`)];
    });
}
