/** A provider that nobody configured: each call of it fails as `not_configured`, and nothing is sent. Rules: LC29, RX7. */
import type { ModelProvider } from "../contracts/model.ts";

export const createAbsentProvider = (name: string): ModelProvider => ({
  name,
  defaultModel: "",
  capabilities: () => ({ nativeTools: true, streaming: true, streamingTools: true }),
  maxOutputTokens: () => 1,
  async *stream() {
    yield { type: "fault", fault: { kind: "not_configured", message: `no provider "${name}" is configured` } };
  },
});
