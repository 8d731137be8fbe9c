/** guardAnswer: a server's body as it streams – bounded by message, and text that is text. Rules: MC17, SE32, SE43. */
import type { McpFault } from "../contracts/mcp.ts";
import { McpFaultError } from "./mcp-faults.ts";

const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** The same response; its body errors where the bound or the encoding is broken, and `refuse` is told why. */
export function guardAnswer(response: Response, refuse: (fault: McpFault) => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const perEvent = headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;
  return new Response(body.pipeThrough(guardBytes(perEvent, refuse)), { status, statusText, headers });
}

function guardBytes(perEvent: boolean, refuse: (fault: McpFault) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  const measure = perEvent ? createEventMeter() : createMeter();
  const refused = (kind: "size" | "malformed"): McpFaultError => {
    refuse({ kind });
    return new McpFaultError({ kind });
  };
  const check = (chunk?: Uint8Array): void => {
    try {
      decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      throw refused("malformed");
    }
  };
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (measure(chunk) > MOST_MESSAGE_BYTES) throw refused("size");
      check(chunk);
      controller.enqueue(chunk);
    },
    flush: () => check(),
  });
}

/** Bytes so far. */
function createMeter(): (chunk: Uint8Array) => number {
  let size = 0;
  return (chunk) => (size += chunk.length);
}

/** The largest event so far, the one under way included; a stream of many small ones may last. */
function createEventMeter(): (chunk: Uint8Array) => number {
  let size = 0;
  let lineIsEmpty = true;
  return (chunk) => {
    let largest = size;
    for (const byte of chunk) {
      size += 1;
      if (byte === LINE_FEED) {
        if (lineIsEmpty) size = 0;
        lineIsEmpty = true;
      } else if (byte !== CARRIAGE_RETURN) lineIsEmpty = false;
      if (size > largest) largest = size;
    }
    return largest;
  };
}
