/** A tool that the caller's own app runs: the turn waits for what the app says. */
import { defineConfig } from "countersign";

export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
  providers: { embedded: { kind: "embedded" } },
  risk_profiles: { default: { auto_approve: ["pick_colour"] } },
  tools: [
    {
      kind: "client",
      name: "pick_colour",
      description: "Lets the person at the screen pick a colour",
      input_schema: { type: "object", properties: {} },
    },
  ],
});
