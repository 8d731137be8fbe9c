/** AnsweringTransport: streamable HTTP on which every request ends – an exchange that is over without its answer answers that it is lost. Rules: MC10, MC12, MW2, EX10. */
import { StreamableHTTPClientTransport, type StreamableHTTPClientTransportOptions } from "@modelcontextprotocol/client";
import { isEventStream } from "./guard-answer.ts";
import type { McpFetch } from "./guarded-fetch.ts";
import { LOST_ANSWER } from "./mcp-faults.ts";

type Send = StreamableHTTPClientTransport["send"];
type Message = Parameters<Send>[0];
type RequestId = string | number;

export class AnsweringTransport extends StreamableHTTPClientTransport {
  /** Requests that are being answered by a stream, which tells its own end. */
  readonly #streamed: Set<RequestId>;
  /** Notifications on their way. */
  readonly #telling = new Set<Promise<void>>();

  constructor(url: URL, { fetch, ...options }: StreamableHTTPClientTransportOptions & { readonly fetch: McpFetch }) {
    const streamed = new Set<RequestId>();
    super(url, {
      ...options,
      fetch: async (to, init) => {
        const response = await fetch(to, init);
        const id =
          isEventStream(response) && typeof init?.body === "string" ? requestId(JSON.parse(init.body)) : undefined;
        if (id !== undefined) streamed.add(id);
        return response;
      },
    });
    this.#streamed = streamed;
  }

  override async send(message: Message, options?: Parameters<Send>[1]): Promise<void> {
    const id = requestId(message);
    if (id === undefined) return await this.#tell(super.send(message, options));
    const endStream = (): void => {
      options?.onRequestStreamEnd?.();
      this.#endUnanswered(id);
    };
    await super.send(message, { ...options, onRequestStreamEnd: endStream });
    if (!this.#streamed.delete(id)) this.#endUnanswered(id);
  }

  /** Resolves when what the server was told so far has gone out, or failed to. */
  async told(): Promise<void> {
    await Promise.allSettled(this.#telling);
  }

  async #tell(sending: Promise<void>): Promise<void> {
    this.#telling.add(sending);
    try {
      await sending;
    } finally {
      this.#telling.delete(sending);
    }
  }

  /** Of a request that was answered nobody waits any more, and this is dropped. */
  #endUnanswered(id: RequestId): void {
    this.onmessage?.({ jsonrpc: "2.0", id, error: { code: LOST_ANSWER, message: "no answer" } });
  }
}

function requestId(message: Message): RequestId | undefined {
  return !Array.isArray(message) && "method" in message && "id" in message ? message.id : undefined;
}
