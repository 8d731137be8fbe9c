/** Configuration of the benchmark: an agent for each pace, one tool that runs unasked, limits that are never reached. */
import { defineConfig, defineTool, ok } from "countersign";
import { z } from "zod";
import { instantProvider, pacedProvider, toolName, toolResult } from "./script.ts";

const lookUp = defineTool({
  name: toolName,
  description: "Looks up what is known of a topic.",
  input: z.object({ topic: z.string() }),
  readOnly: true,
  execute: () => ok(toolResult),
});

const unreached = 1_000_000_000;

export default defineConfig({
  agents: {
    [instantProvider]: { model_provider: instantProvider },
    [pacedProvider]: { model_provider: pacedProvider },
  },
  risk_profiles: { default: { auto_approve: [toolName] } },
  // The entry of the benchmark puts the scripted model in the place of the embedded planner.
  providers: { [instantProvider]: { kind: "embedded" }, [pacedProvider]: { kind: "embedded" } },
  tools: [lookUp],
  limits: {
    tenant: {
      requests_per_minute: unreached,
      turns_per_minute: unreached,
      max_running_turns: unreached,
      max_queued_turns: unreached,
      max_streams: unreached,
    },
  },
});
