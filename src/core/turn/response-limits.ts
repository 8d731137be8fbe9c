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
      const part = shortened(received);
      if (isCall(part) && ++calls > responseLimits.calls) return { kind: "part", part: undefined };
      size += sizeOf(part);
      return size > responseLimits.size ? { kind: "too_large" } : { kind: "part", part };
    },
  };
}

/** Ours to run, or run by the provider. */
const isCall = (part: Part): part is Extract<Part, { readonly name: string }> => "name" in part;

/** A name or id of such a length is nobody's, so that it need not be whole. */
function shortened(part: Part): Part {
  if (!isCall(part)) return part;
  const id = part.type === "call" ? part.id : undefined;
  if (part.name.length <= responseLimits.name && (id?.length ?? 0) <= responseLimits.id) return part;
  return {
    ...part,
    name: part.name.slice(0, responseLimits.name).toWellFormed(),
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
    case "provider_tool":
      return part.name.length + part.output.length + JSON.stringify(part.arguments).length;
    case "retry":
      return 0;
    default:
      return part satisfies never;
  }
}

const metadataSize = (metadata: JsonObject | undefined): number =>
  metadata === undefined ? 0 : JSON.stringify(metadata).length;
