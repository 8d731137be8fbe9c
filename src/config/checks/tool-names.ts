/** Names of configured tools: unique, no built-in's, and what bundles and agents ask for exists. Rules: RG3, RG7, CF3. */
import { defaultBuiltinTools } from "../../contracts/config/agent.ts";
import { isCodeTool } from "../../contracts/config/tools.ts";
import { isObject } from "../../contracts/json.ts";
import { matchesAny } from "../../policy/name-pattern.ts";
import { type CheckedFile, createFault, createWarning, type Finding } from "../finding.ts";
import { type PathPart, selectPlaces, selectTexts } from "../value-paths.ts";

/** Built-ins that an agent's `builtin_tools` offers; `tools.md` section 2 has their table. */
export const offerableBuiltins: readonly string[] = [
  "todo_write",
  "current_time",
  "calculator",
  "http_request",
  "memory_store",
  "memory_recall",
  "model_switch",
];

/** Built-ins that another setting offers: its place in the file, and the values that do. */
const builtinsBySetting = [
  { name: "read_result", form: "runtime_profiles.*.read_result_tool", values: [true] },
  { name: "delegate", form: "risk_profiles.*.delegation_policy.mode", values: ["allow"] },
  { name: "tool_search", form: "mcp.deferred_loading", values: [true, "auto"] },
];

interface NamedTool {
  readonly path: readonly PathPart[];
  readonly name: string;
}

function configuredTools(file: unknown): readonly NamedTool[] {
  return selectPlaces(file, "tools.*").flatMap(({ path, value }) => {
    const name = isCodeTool(value) ? value.definition.name : isObject(value) ? value["name"] : undefined;
    return typeof name === "string" ? [{ path: isCodeTool(value) ? path : [...path, "name"], name }] : [];
  });
}

/** The `builtin_tools` of each agent, the default where an agent has none. */
function builtinPatterns(file: unknown): readonly string[] {
  return selectPlaces(file, "agents.*").flatMap(({ value }) => {
    const patterns = isObject(value) ? value["builtin_tools"] : undefined;
    if (patterns === undefined) return defaultBuiltinTools;
    return Array.isArray(patterns) ? patterns.filter((pattern) => typeof pattern === "string") : [];
  });
}

function offeredBuiltins(file: unknown): ReadonlySet<string> {
  const patterns = builtinPatterns(file);
  const bySetting = builtinsBySetting.filter(({ form, values }) =>
    selectPlaces(file, form).some(({ value }) => values.some((offering) => offering === value)),
  );
  return new Set([
    ...offerableBuiltins.filter((name) => matchesAny(patterns, name)),
    ...bySetting.map(({ name }) => name),
  ]);
}

function checkUnique(tools: readonly NamedTool[], builtins: ReadonlySet<string>): readonly Finding[] {
  return tools.flatMap(({ path, name }, index) => {
    if (tools.findIndex((tool) => tool.name === name) < index) {
      return [createFault(path, `a tool named ${name} is configured before`)];
    }
    return builtins.has(name)
      ? [createFault(path, `${name} is the name of a built-in tool that an agent is offered`)]
      : [];
  });
}

function checkBundles(file: unknown, tools: readonly NamedTool[]): readonly Finding[] {
  return ["tool_bundles.*.tools.*", "tool_bundles.*.exclude.*"]
    .flatMap((form) => selectTexts(file, form))
    .filter(({ value }) => !tools.some(({ name }) => matchesAny([value], name)))
    .map(({ path }) => createWarning(path, "matches no configured tool"));
}

function checkBuiltinPatterns(file: unknown): readonly Finding[] {
  return selectTexts(file, "agents.*.builtin_tools.*")
    .filter(({ value }) => !offerableBuiltins.some((name) => matchesAny([value], name)))
    .map(({ path }) => createWarning(path, "matches no built-in tool that is offered this way"));
}

/** What `defineTool` found wrong with a definition, under the tool's place in the file. */
function checkDefinitions(file: unknown): readonly Finding[] {
  return selectPlaces(file, "tools.*").flatMap(({ path, value }) =>
    isCodeTool(value)
      ? (value.faults ?? []).map((fault) => {
          const under = createFault(path, fault.message);
          return fault.path === "" ? under : { ...under, path: `${under.path}.${fault.path}` };
        })
      : [],
  );
}

export function checkToolNames({ file }: CheckedFile): readonly Finding[] {
  const tools = configuredTools(file);
  return [
    ...checkDefinitions(file),
    ...checkUnique(tools, offeredBuiltins(file)),
    ...checkBundles(file, tools),
    ...checkBuiltinPatterns(file),
  ];
}

/** MCP servers are told apart by the prefix of their tools, in whatever case a model writes it. */
export function checkServerNames({ file }: CheckedFile): readonly Finding[] {
  const names = selectTexts(file, "mcp.servers.*.name").map(({ path, value }) => ({ path, name: value.toLowerCase() }));
  return names
    .filter(({ name }, index) => names.findIndex((other) => other.name === name) < index)
    .map(({ path }) => createFault(path, "an MCP server of this name, without regard to case, is configured before"));
}
