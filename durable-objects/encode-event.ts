/** Events on their way into rows: redacted once, so that every reader gets the same bytes, then put into wire form. Rules: RE20, SE70, EV1. */
import type { JsonValue } from "../src/contracts/json.ts";
import { redactEvent } from "../src/observe/redact-event.ts";
import type { EncodeEvent } from "../src/storage/store-context.ts";
import { encodeTurnEvent } from "../src/wire/events.ts";
import type { Deployment } from "./deployment.ts";

export interface EncoderParts {
  readonly config: Pick<Deployment["config"], "agents" | "runtimeProfiles">;
  readonly redactor: Deployment["redactor"];
}

/** By the runtime profile of the agent that it is about; an agent that is gone is redacted. */
const isRedacted = ({ config }: EncoderParts, agent: string): boolean =>
  config.runtimeProfiles.get(config.agents.get(agent)?.runtimeProfile ?? "default")?.redactEvents !== false;

export function createEventEncoder(parts: EncoderParts): EncodeEvent {
  return (event, place) =>
    encodeTurnEvent(isRedacted(parts, event.agent) ? redactEvent(event, parts.redactor) : event, place);
}

/** For what is shown and is no event of the log. */
export const createDataRedactor =
  (parts: EncoderParts) =>
  (agent: string, data: JsonValue): JsonValue =>
    isRedacted(parts, agent) ? parts.redactor.value(data) : data;
