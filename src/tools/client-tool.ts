/** Client tools: what the caller's own app runs, declared by the config file or by a request. Rules: TC1, TC27, TC29. */
import type { DeclaredTool } from "../contracts/config/tools.ts";
import type { RequestTool } from "../contracts/turn.ts";
import { type DefinedTool, createTool } from "./create-tool.ts";
import { createDeclaredTool } from "./declared-tool.ts";

export type ClientToolDeclaration = Extract<DeclaredTool, { kind: "client" }>;

export const createClientTool = (declared: ClientToolDeclaration): DefinedTool =>
  createDeclaredTool(declared, "client", runElsewhere);

const ANY_ARGUMENTS = Object.freeze({ type: "object" });

/** A tool of one turn. Its declaration says nothing of risk or rights, so it has the defaults of any tool. */
export const createRequestTool = ({ name, description, parameters }: RequestTool): DefinedTool =>
  createTool(
    {
      name,
      description: description?.trim() ? description : name,
      input: parameters ?? ANY_ARGUMENTS,
      execute: runElsewhere,
    },
    "client",
  );

/** A batch hands its client calls to the client and runs the others, so only a bug comes here. */
function runElsewhere(): never {
  throw new Error("a client tool is run by the client");
}
