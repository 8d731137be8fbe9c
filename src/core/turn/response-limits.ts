/** Response limits: how much of one response is kept, whoever the provider is. Rules: SE59. */
import type { JsonObject } from "../../contracts/json.ts";
import { type ModelEvent, responseLimits, responseTooLarge } from "../../contracts/model.ts";

type Part = Exclude<ModelEvent, { type: "finish" | "fault" }>;

export const tooLargeFault = { type: "fault", fault: { kind: "cut", message: responseTooLarge } } as const;

export type Admitted =
  /** Nothing of it, when it is a call too many. */
  { readonly kind: "part"; readonly part: Part | undefined } | { readonly kind: "too_large" };

/** One per response; parts are to be given in the order in which they come. */
export function createResponseLimits(): { admit(part: Part): Admitted } {
  let size = 0;
  let calls = 0;
  return {
    admit(received) {
      const part = received.type === "call" ? shortened(received) : received;
      if (part.type === "call" && ++calls > responseLimits.calls) return { kind: "part", part: undefined };
      size += sizeOf(part);
      return size > responseLimits.size ? { kind: "too_large" } : { kind: "part", part };
    },
  };
}

type Call = Extract<Part, { type: "call" }>;

/** A name or id of such a length is nobody's, so that it need not be whole. */
function shortened(call: Call): Call {
  const { id, name } = call;
  if (name.length <= responseLimits.name && (id?.length ?? 0) <= responseLimits.id) return call;
  return {
    ...call,
    name: name.slice(0, responseLimits.name).toWellFormed(),
    ...(id === undefined ? {} : { id: id.slice(0, responseLimits.id).toWellFormed() }),
  };
}

/** UTF-16 units, whose number is known without a look at the text. */
function sizeOf(part: Part): number {
  switch (part.type) {
    case "text":
      return part.text.length;
    case "reasoning":
      return part.text.length + metadataSize(part.providerMetadata);
    case "call":
      return part.name.length + part.argumentsText.length + metadataSize(part.providerMetadata);
    case "retry":
      return 0;
    default:
      return part satisfies never;
  }
}

const metadataSize = (metadata: JsonObject | undefined): number =>
  metadata === undefined ? 0 : JSON.stringify(metadata).length;
