/** Tells whether an agent that a request names may take turns here. */
import type { Problem } from "../contracts/errors.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import type { Deployment } from "./dependencies.ts";

/** The alias itself; an unknown and a disabled one are the same refusal. */
export function checkAgent(deployment: Deployment, alias: string): Result<string, Problem> {
  const enabled = deployment.agents.some((agent) => agent.alias === alias && agent.enabled);
  return enabled ? succeed(alias) : failWith(unknownAgent);
}

const unknownAgent: Problem = { slug: "unknown-agent", detail: "No enabled agent has this alias." };
