/** The shipped configuration: one agent on the embedded provider. */
import { defineConfig } from "countersign";

export default defineConfig({
  agents: { assistant: { model_provider: "embedded" } },
});
