/** Events on their way into rows: redacted once, so that every reader gets the same bytes, then put into wire form. Rules: RE20, SE70, EV1. */
import { redactEvent } from "../src/observe/redact-event.ts";
import type { EncodeEvent } from "../src/storage/store-context.ts";
import { encodeTurnEvent } from "../src/wire/events.ts";
import type { Deployment } from "./deployment.ts";

export interface EncoderParts {
  readonly config: Pick<Deployment["config"], "agents" | "runtimeProfiles">;
  readonly redactor: Deployment["redactor"];
}

/** By the runtime profile of the agent that the event is about; an agent that is gone is redacted. */
export function createEventEncoder({ config, redactor }: EncoderParts): EncodeEvent {
  return (event, place) => {
    const profile = config.runtimeProfiles.get(config.agents.get(event.agent)?.runtimeProfile ?? "default");
    return encodeTurnEvent(profile?.redactEvents === false ? event : redactEvent(event, redactor), place);
  };
}
