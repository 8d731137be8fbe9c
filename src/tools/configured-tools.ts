/** readConfiguredTools: from the entries of `tools` to the tools that this release can offer, in file order. Rules: TC27, CF6. */
import { isCodeTool, type ConfiguredTool } from "../contracts/config/tools.ts";
import type { Fault } from "../contracts/json.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import type { Tool } from "../contracts/tool.ts";
import { createClientTool } from "./client-tool.ts";

/** Fails with what is wrong in the schemas of declared tools, each under its place in the file. */
export function readConfiguredTools(entries: readonly ConfiguredTool[]): Result<readonly Tool[], readonly Fault[]> {
  const faults: Fault[] = [];
  const tools = entries.flatMap((entry, index): readonly Tool[] => {
    if (isCodeTool(entry)) return [entry];
    if (entry.kind !== "client") return [];
    const tool = createClientTool(entry);
    faults.push(...tool.faults.map(({ path, message }) => ({ path: `tools[${index}].${inFile(path)}`, message })));
    return [tool];
  });
  return faults.length === 0 ? succeed(tools) : failWith(faults);
}

/** The names that an entry has for the two schemas of a declaration. */
const inFile = (path: string): string => path.replace(/^(input|output)(?=\.|$)/, "$1_schema");
