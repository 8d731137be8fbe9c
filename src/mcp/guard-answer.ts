/** guardAnswer: a server's body as it streams – bounded by message, text that is text, lines handed on whole. Rules: MC17, SE32, SE43. */
import type { McpFault } from "../contracts/mcp.ts";
import { joinBytes } from "../policy/join-bytes.ts";
import { McpFaultError } from "./mcp-faults.ts";

const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export const isEventStream = ({ headers }: Pick<Response, "headers">): boolean =>
  headers.get("content-type")?.toLowerCase().startsWith("text/event-stream") === true;

/** The same response; its body errors where the bound or the encoding is broken, and `refuse` is told why. */
export function guardAnswer(response: Response, refuse: (fault: McpFault) => void): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const guarded = body.pipeThrough(guardBytes(isEventStream(response) ? createLines() : createWhole(), refuse));
  return new Response(guarded, { status, statusText, headers });
}

/** How a body is counted and handed on. */
interface Reading {
  /** Bytes of the largest message so far, the one under way included. */
  readonly measure: (chunk: Uint8Array) => number;
  /** What may go on by now. */
  readonly release: (chunk: Uint8Array) => readonly Uint8Array[];
  /** The rest. */
  readonly end: () => readonly Uint8Array[];
}

function guardBytes(reading: Reading, refuse: (fault: McpFault) => void): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
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
      if (reading.measure(chunk) > MOST_MESSAGE_BYTES) throw refused("size");
      check(chunk);
      for (const part of reading.release(chunk)) controller.enqueue(part);
    },
    flush: (controller) => {
      check();
      for (const part of reading.end()) controller.enqueue(part);
    },
  });
}

/** One message. */
function createWhole(): Reading {
  let size = 0;
  return { measure: (chunk) => (size += chunk.length), release: (chunk) => [chunk], end: () => [] };
}

/** Many, each an event. A parser that is given a line piece by piece looks through all of it again with every piece. */
function createLines(): Reading {
  let size = 0;
  let lineIsEmpty = true;
  let held: Uint8Array[] = [];
  return {
    measure: (chunk) => {
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
    },
    release: (chunk) => {
      const end = Math.max(chunk.lastIndexOf(LINE_FEED), chunk.lastIndexOf(CARRIAGE_RETURN)) + 1;
      if (end === 0) {
        held.push(chunk);
        return [];
      }
      const lines = joinBytes([...held, chunk.subarray(0, end)]);
      held = end < chunk.length ? [chunk.subarray(end)] : [];
      return [lines];
    },
    end: () => held,
  };
}
