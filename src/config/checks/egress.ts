/** What the file says about the network: where it may go, and where its own settings lead. Rules: SE40, CF3. */
import { egressSchema } from "../../contracts/config/access.ts";
import { matchesAny } from "../../policy/name-pattern.ts";
import { type CheckedFile, createFault, type Finding } from "../finding.ts";
import { selectPlaces, selectTexts } from "../value-paths.ts";

function checkDevHosts({ file, environment }: CheckedFile): readonly Finding[] {
  if (environment.env === "dev") return [];
  return selectPlaces(file, "egress.dev_hosts")
    .filter(({ value }) => !Array.isArray(value) || value.length > 0)
    .map(({ path }) => createFault(path, "may be set in development only (COUNTERSIGN_ENV is not dev)"));
}

/** A model that may request any public URL is never what somebody meant. */
function checkHttpRequest({ file }: CheckedFile): readonly Finding[] {
  if (selectPlaces(file, "egress.allow_hosts.*").length > 0) return [];
  return selectTexts(file, "agents.*.builtin_tools.*")
    .filter(({ value }) => matchesAny([value], "http_request"))
    .map(({ path }) => createFault(path, "offers http_request, which needs hosts in egress.allow_hosts"));
}

function checkAnswerSizes({ file }: CheckedFile): readonly Finding[] {
  const [configured] = selectPlaces(file, "egress.max_fetch_bytes");
  const most = typeof configured?.value === "number" ? configured.value : egressSchema.parse({}).maxFetchBytes;
  return selectPlaces(file, "tools.*.response.max_bytes")
    .filter(({ value }) => typeof value === "number" && value > most)
    .map(({ path }) => createFault(path, `must be at most egress.max_fetch_bytes (${most})`));
}

export const checkEgress = (checked: CheckedFile): readonly Finding[] => [
  ...checkDevHosts(checked),
  ...checkHttpRequest(checked),
  ...checkAnswerSizes(checked),
];
