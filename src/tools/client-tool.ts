/** Client tools: what a config file declares and the caller's own app runs. Rules: TC1, TC27. */
import type { DeclaredTool } from "../contracts/config/tools.ts";
import { type DefinedTool, createTool } from "./create-tool.ts";

export type ClientToolDeclaration = Extract<DeclaredTool, { kind: "client" }>;

/** Somebody else's code wherever it runs, so always `extension`, whatever the entry says. */
export function createClientTool(declared: ClientToolDeclaration): DefinedTool {
  const { kind: _kind, provenance: _provenance, name, description, ...rest } = declared;
  const { inputSchema: input, outputSchema: output, toolTimeoutSecs: timeoutSecs, ...flags } = rest;
  return createTool(
    { name, description, input, ...present({ output, timeoutSecs, ...flags }), execute: runElsewhere },
    "client",
  );
}

/** A batch hands its client calls to the client and runs the others, so only a bug comes here. */
function runElsewhere(): never {
  throw new Error("a client tool is run by the client");
}

type Present<Members> = { readonly [Name in keyof Members]?: Exclude<Members[Name], undefined> };

/** A declaration lacks what it does not say; it never says `undefined`. */
const present = <Members extends object>(members: Members): Present<Members> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Present<Members>;
