/** createDeclaredTool: from an entry of the config file to a tool; the entry's words are the declaration's, whoever runs it. Rules: TC1, TC4. */
import type { DeclaredTool } from "../contracts/config/tools.ts";
import type { JsonObject } from "../contracts/json.ts";
import type { ToolContext, ToolOrigin } from "../contracts/tool.ts";
import { type DefinedTool, createTool } from "./create-tool.ts";
import type { ToolReturn } from "./tool-declaration.ts";

export type RunDeclared = (args: JsonObject, context: ToolContext) => ToolReturn | Promise<ToolReturn>;

/** Somebody else's code wherever it runs, so always `extension`, whatever the entry says. */
export function createDeclaredTool(declared: DeclaredTool, origin: ToolOrigin, execute: RunDeclared): DefinedTool {
  const { name, title, description, inputSchema: input, outputSchema: output, toolTimeoutSecs: timeoutSecs } = declared;
  const { risk, readOnly, idempotent, needsApproval, repeatGuard, reEntrant, approvalMarker, secrets } = declared;
  const flags = { risk, readOnly, idempotent, needsApproval, repeatGuard, reEntrant, approvalMarker, secrets };
  return createTool(
    { name, description, input, ...present({ title, output, timeoutSecs, ...flags }), execute },
    origin,
  );
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** A declaration lacks what it does not say; it never says `undefined`. */
const present = <Members extends object>(members: Members): Present<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
