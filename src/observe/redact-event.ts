/** Redaction of turn events: which fields carry content, and which name things and pass as they are. Rules: RE20, RE22, RE27, RE28. */
import type { Artifact } from "../contracts/call.ts";
import type { TextCheck } from "../contracts/text-check.ts";
import type { TurnEventBody } from "../contracts/turn-event.ts";
import { boundField, MOST_REASON_CHARS } from "./bound-field.ts";
import type { Redactor } from "./redact.ts";

/** For the row, once, before it is written (SE70). Deltas pass: their text has come through a `DeltaRedactor`. */
export function redactEvent<Event extends TurnEventBody>(event: Event, redactor: Redactor): Event {
  return { ...event, ...redactedFields(event, redactor) };
}

function redactedFields(event: TurnEventBody, redactor: Redactor): Partial<TurnEventBody> {
  switch (event.type) {
    case "turn_accepted":
    case "turn_started":
      return { input: redactor.text(event.input) };
    case "tool_call":
      return { arguments: redactor.value(event.arguments) };
    case "tool_result":
      return {
        output: redactor.text(event.output),
        ...(event.data === undefined ? {} : { data: redactor.value(event.data) }),
        ...(event.artifact === undefined ? {} : { artifact: redactArtifact(event.artifact, redactor) }),
      };
    case "approval_requested":
      return {
        arguments: redactor.value(event.arguments),
        argumentsSummary: redactor.text(event.argumentsSummary),
      };
    case "steering":
      return { text: redactor.text(event.text) };
    case "plan":
      return { todos: redactor.value(event.todos) };
    case "provider_retry":
      return { reason: boundField(redactor.text(event.reason), MOST_REASON_CHARS) };
    case "turn_finished": {
      const { receiptCheck: check } = event;
      const text = redactor.text(event.text);
      return check === undefined
        ? { text }
        : { text, receiptCheck: { ...check, claims: redactClaims(check, redactor) } };
    }
    case "receipt_check":
      return { claims: redactClaims(event, redactor) };
    // The client runs exactly what `client_tool_requested` says (RE20).
    case "client_tool_requested":
    case "approval_decided":
    case "turn_suspended":
    case "turn_resumed":
    case "model_switched":
    case "loop_warning":
    case "text_delta":
    case "reasoning_delta":
    case "history_trimmed":
    case "usage":
    case "turn_recovered":
    case "message_reset":
      return {};
    default:
      return event satisfies never;
  }
}

/** The words are the model's; receipts hold no secret (RE14). */
const redactClaims = ({ claims }: TextCheck, { text }: Redactor): TextCheck["claims"] =>
  claims.map((claim) => ({ ...claim, text: text(claim.text) }));

function redactArtifact(artifact: Artifact, { text }: Redactor): Artifact {
  return {
    ...artifact,
    path: text(artifact.path),
    ...(artifact.uri === undefined ? {} : { uri: text(artifact.uri) }),
    ...(artifact.filename === undefined ? {} : { filename: text(artifact.filename) }),
    ...(artifact.title === undefined ? {} : { title: text(artifact.title) }),
  };
}
