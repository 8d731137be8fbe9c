/** Shorthand values: the arguments that a bare value stands for, by the tool's name. Rules: TP16, TP17. */
import type { JsonObject } from "../../../../contracts/json.ts";

const DEFAULT_PARAMETERS: readonly (readonly [string, string])[] = [
  ["command", "shell bash sh exec command cmd"],
  ["path", "file_read fileread readfile read_file file file_write filewrite writefile write_file"],
  ["path", "file_list filelist listfiles list_files file_edit fileedit editfile edit_file"],
  ["query", "memory_recall memoryrecall recall memrecall memory_forget memoryforget forget memforget"],
  ["query", "web_search_tool web_search websearch search"],
  ["content", "memory_store memorystore store memstore"],
  ["url", "http_request http fetch curl wget browser_open browser"],
];
const PARAMETER_OF: ReadonlyMap<string, string> = new Map(
  DEFAULT_PARAMETERS.flatMap(([parameter, names]) => names.split(" ").map((name) => [name, parameter] as const)),
);

/** By the name as the model wrote it, before any alias. */
export const defaultParameter = (writtenName: string): string => PARAMETER_OF.get(writtenName) ?? "input";

const isUrl = (value: string): boolean => /^https?:\/\//.test(value);

/** A shell command that fetches a URL; nothing for a value that is none, or that white space would break apart. */
export function curlCommand(value: string): string | undefined {
  if (!isUrl(value) || /\s/.test(value)) return undefined;
  return `curl -s '${value.replaceAll("'", `'"'"'`)}'`;
}

/** What a value means to a tool by its resolved name; `parameter` is where other tools take it. */
export function valueArguments(tool: string, parameter: string, value: string): JsonObject {
  if (tool === "shell") return { command: curlCommand(value) ?? value };
  if (tool === "http_request") return { url: value, method: "GET" };
  return Object.fromEntries([[parameter, value]]);
}
