/** createMcpTool: a listed tool of a server as a tool of ours; what it may be is the configuration's word and never the server's. Rules: TC4, TC9, TS17, MC6, MC8, MW5, SE30. */
import type { McpSettings } from "../../contracts/config/mcp.ts";
import type { JsonObject, JsonValue } from "../../contracts/json.ts";
import type { CallMcpTool, ListedTool } from "../../contracts/mcp.ts";
import { failWith } from "../../contracts/result.ts";
import type { Tool, ToolContext, ToolResult } from "../../contracts/tool.ts";
import { cutCodePoints } from "../../policy/cut-text.ts";
import { matchesPattern } from "../../policy/name-pattern.ts";
import { once } from "../once.ts";
import { readInput } from "../schema/input-reader.ts";
import { createSchemaCheck } from "../schema/schema-check.ts";
import { toToolResult } from "./mcp-result.ts";
import { realName } from "./read-listing.ts";

const MOST_DESCRIPTION_CHARS = 4096;

type ServerSettings = McpSettings["servers"][number];

export interface McpToolParts {
  readonly listed: ListedTool;
  readonly settings: Pick<ServerSettings, "name" | "tools" | "toolTimeoutSecs">;
  readonly call: CallMcpTool;
}

/** Checks are made when somebody asks: a turn knows thousands of tools and calls a few. */
export function createMcpTool({ listed, settings, call }: McpToolParts): Tool {
  const { hash, name, description, annotations: _hints, ...rest } = listed;
  const flags = flagsOf(settings, name);
  const timeoutSecs = flags.toolTimeoutSecs ?? settings.toolTimeoutSecs;
  const input = once(() => readInput(listed.inputSchema));
  const fitsOutput = once(() => outputCheck(listed));
  const risk = flags.risk ?? "medium";
  return Object.freeze({
    definition: Object.freeze({
      ...rest,
      name: realName(settings.name, name),
      description: cutCodePoints(description, MOST_DESCRIPTION_CHARS),
    }),
    definitionHash: hash,
    origin: "mcp",
    provenance: "extension",
    risk,
    readOnly: flags.readOnly ?? false,
    idempotent: flags.idempotent ?? false,
    repeatGuard: flags.repeatGuard ?? risk === "high",
    reEntrant: flags.reEntrant ?? false,
    approvalMarker: false,
    client: false,
    secrets: [],
    ...(timeoutSecs === undefined ? {} : { timeoutSecs }),
    ...(flags.needsApproval === undefined ? {} : { needsApproval: () => true }),
    checkArguments: (args: JsonObject) => {
      const reader = input();
      return reader.ok ? reader.value.check(args) : failWith(reader.failure);
    },
    execute: async (args: unknown, context: ToolContext): Promise<ToolResult> => {
      const answered = await call(
        // What `checkArguments` lets through is the object that it was given.
        { tool: name, inputSchema: listed.inputSchema, args: args as JsonObject },
        { signal: context.signal, onProgress: (progress) => context.progress(progress) },
      );
      return toToolResult(settings.name, answered);
    },
    fitsOutput: (data: JsonValue) => fitsOutput()(data),
  } satisfies Tool);
}

/** The first pattern that matches says it all. */
function flagsOf({ tools }: McpToolParts["settings"], name: string) {
  for (const [pattern, flags] of tools) if (matchesPattern(pattern, name)) return flags;
  return {};
}

function outputCheck({ outputSchema }: ListedTool): (data: JsonValue) => boolean {
  const check = outputSchema === undefined ? undefined : createSchemaCheck(outputSchema);
  return (data) => check === undefined || (check.ok && check.value(data).length === 0);
}
