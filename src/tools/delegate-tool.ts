/** delegate: hands a task to another agent, which works in a frame of its own inside the turn. Rules: DG1, DG2, RX14, TC30. */
import { z } from "zod";
import { type DefinedTool, createTool } from "./create-tool.ts";
import { fail } from "./tool-result.ts";

/** `reachable`: aliases in the order of the configuration; there is no tool without one. */
export function createDelegateTool(reachable: readonly string[]): DefinedTool {
  const listed = reachable.join(", ");
  return createTool(
    {
      name: "delegate",
      title: "Delegate to another agent",
      description: `Hands a task to another agent and returns its answer. It sees the prompt and the context, and nothing else of this conversation. Agents: ${listed}.`,
      // Any name passes here: one that is out of reach is told which are not (RX14).
      input: z.object({
        agent: z
          .string()
          .min(1)
          .max(128)
          .describe(`One of: ${listed}`)
          .meta({ enum: [...reachable] }),
        prompt: z.string().regex(/\S/u, "must not be blank").describe("What the agent is to do"),
        context: z.string().optional().describe("What it needs to know"),
      }),
      risk: "medium",
      reEntrant: true,
      provenance: "native",
      execute: () => fail("an agent can be delegated to inside a turn alone"),
    },
    "delegate",
  );
}
