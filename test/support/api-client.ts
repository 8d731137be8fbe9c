/** What the end-to-end tests call a server with: plain requests, and SSE read as the bytes it is made of. */
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import type { RunningServer } from "./dev-server.ts";

export interface ApiClient {
  readonly url: string;
  readonly authorization: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  /** A string is sent as it is. */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
}

export function createApiClient({ url, key }: Pick<RunningServer, "url" | "key">): ApiClient {
  const authorization = `Bearer ${key}`;
  const send = (path: string, init: RequestInit): Promise<Response> =>
    fetch(`${url}${path}`, { ...init, signal: AbortSignal.timeout(60_000) });
  return {
    url,
    authorization,
    get: (path, headers = {}) => send(path, { headers: { authorization, ...headers } }),
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        headers: { authorization, "content-type": "application/json", ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      }),
  };
}

export const acceptStream = { accept: "text/event-stream" };

let conversations = 0;
/** An id that no other test of this process uses. */
export function freshConversation(about: string): string {
  conversations += 1;
  return `${about}-${process.pid}-${conversations}`.padEnd(16, "-");
}

/** The frames of an SSE body, byte for byte, without comments and `retry:`; what ends in mid-frame is dropped, as readers do. */
export function framesOf(body: string): readonly string[] {
  return body
    .split("\n\n")
    .slice(0, -1)
    .map((block) => block.replace(/^(?:retry:.*|:.*)\n/gm, ""));
}

export const idOf = (frame: string): string => /^id: (\d+)$/m.exec(frame)?.[1] ?? "";
export const eventOf = (frame: string): WireTurnEvent => JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? "null");

/** Reads frames until there are `most`, or the end; then it hangs up. */
export async function readFrames(response: Response, most = Number.POSITIVE_INFINITY): Promise<readonly string[]> {
  let body = "";
  const decoder = new TextDecoder();
  // Leaving the loop cancels the body, which closes the connection.
  for await (const chunk of response.body ?? []) {
    body += decoder.decode(chunk, { stream: true });
    if (framesOf(body).length >= most) break;
  }
  return framesOf(body).slice(0, most);
}

export interface StreamedTurn {
  readonly turn: string;
  readonly frames: readonly string[];
  readonly events: readonly WireTurnEvent[];
}

/** Posts a turn and reads its stream to the end. */
export async function streamTurn(client: ApiClient, conversation: string, body: object): Promise<StreamedTurn> {
  const response = await client.post(`/v1/conversations/${conversation}/turns`, body, acceptStream);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  const frames = await readFrames(response);
  return { turn: response.headers.get("x-countersign-turn") ?? "", frames, events: frames.map(eventOf) };
}

export const typesOf = (events: readonly WireTurnEvent[]): readonly string[] => events.map(({ type }) => type);

export function onlyEvent<Type extends WireTurnEvent["type"]>(
  events: readonly WireTurnEvent[],
  type: Type,
): Extract<WireTurnEvent, { type: Type }> {
  const found = events.filter((event): event is Extract<WireTurnEvent, { type: Type }> => event.type === type);
  const [first] = found;
  if (first === undefined || found.length > 1) throw new Error(`${found.length} events are ${type}`);
  return first;
}
