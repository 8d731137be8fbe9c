/** readConfiguredTools: from the entries of `tools` to the tools that they are, in file order. Rules: TC1, TC20, TC26, TC27, CF6. */
import { isCodeTool, type ConfiguredTool, type DeclaredTool } from "../contracts/config/tools.ts";
import type { Fault } from "../contracts/json.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import type { Tool } from "../contracts/tool.ts";
import { createClientTool } from "./client-tool.ts";
import type { DefinedTool } from "./create-tool.ts";
import { createHttpTool } from "./http/http-tool.ts";
import { type ServicePort, createServiceTool } from "./service-tool.ts";

export interface ConfiguredToolPorts {
  /** Takes the product's own secrets out of a text. */
  readonly clean: (text: string) => string;
  readonly findService: (binding: string) => ServicePort | undefined;
}

/** Fails with what is wrong in declared tools, each under its place in the file. */
export function readConfiguredTools(
  entries: readonly ConfiguredTool[],
  ports: ConfiguredToolPorts,
): Result<readonly Tool[], readonly Fault[]> {
  const faults: Fault[] = [];
  const tools = entries.flatMap((entry, index): readonly Tool[] => {
    if (isCodeTool(entry)) return [entry];
    const { tool, faults: found } = readEntry(entry, ports);
    const inTool = (tool?.faults ?? []).map(({ path, message }) => ({ path: inFile(path), message }));
    for (const { path, message } of [...found, ...inTool]) {
      faults.push({ path: `tools[${index}].${path}`, message });
    }
    return tool === undefined ? [] : [tool];
  });
  return faults.length === 0 ? succeed(tools) : failWith(faults);
}

interface ReadEntry {
  readonly tool?: DefinedTool;
  readonly faults: readonly Fault[];
}

function readEntry(entry: DeclaredTool, { clean, findService }: ConfiguredToolPorts): ReadEntry {
  switch (entry.kind) {
    case "http":
      return createHttpTool(entry, clean);
    case "client":
      return { tool: createClientTool(entry), faults: [] };
    case "service": {
      const service = findService(entry.binding);
      if (service !== undefined) return { tool: createServiceTool(entry, service), faults: [] };
      return { faults: [{ path: "binding", message: `there is no service binding ${entry.binding}` }] };
    }
    default:
      return entry satisfies never;
  }
}

/** The names that an entry has for the two schemas of a declaration. */
const inFile = (path: string): string => path.replace(/^(input|output)(?=\.|$)/, "$1_schema");
