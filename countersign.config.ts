/** The shipped configuration: one agent on the embedded provider, so that everything runs without a key or a network. */
import { defineConfig } from "countersign";

export default defineConfig({
  // Who answers. The first one takes the turns that name no agent.
  agents: {
    assistant: {
      model_provider: "embedded",
      // A request may bring tools that its sender runs, as web pages do.
      client_tools_from_request: true,
    },
  },

  // What agents may do. An agent that names no profile has the one called "default".
  risk_profiles: {
    default: {
      // A person has a week to decide about a call; waiting costs nothing.
      approval_timeout_secs: 604_800,
    },
  },

  // Where models are. The embedded one is a small planner and no language model; it picks tools by the words of a message.
  providers: {
    embedded: { kind: "embedded" },

    // A real model: set `model_provider: "main"` above, and bind the secret MODELS_KEY
    // (locally as a line of .dev.vars, deployed by `npx wrangler secret put MODELS_KEY`).
    // main: {
    //   kind: "openai_compatible",
    //   base_url: "https://models.example.com/v1",
    //   default_model: "large",
    //   api_key: "MODELS_KEY",
    // },
  },
});
