/** createToolFetch: the only network a tool has; every hop is judged before a byte is sent. Rules: TC11, SE41–SE44. */
import type { CancelSignal, LogPort } from "../contracts/ports.ts";
import type { Result } from "../contracts/result.ts";
import type { ToolFetch, ToolFetchAnswer, ToolFetchInit } from "../contracts/tool.ts";
import { type EgressRules, type JudgedUrl, judgeRedirect, judgeUrl } from "../policy/egress-guard.ts";
import type { EgressFault } from "../policy/egress-refusal.ts";
import { readBounded } from "../policy/read-bounded.ts";
import { EgressRefusal } from "./egress-refusal.ts";
import { parseUrl } from "./parse-url.ts";
import { keepAcrossOrigins, readToolHeaders, visibleHeaders } from "./request-headers.ts";

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const METHODS: ReadonlySet<string> = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** The platform's fetch, as far as it is used here. */
export type FetchPort = (url: string, init: RequestInit) => Promise<Response>;

export interface ToolFetchParts {
  readonly fetch: FetchPort;
  readonly rules: EgressRules;
  /** Ends the request and the reading of its answer. */
  readonly signal: CancelSignal;
  /** Bytes of an answer's body, after decompression. */
  readonly maxBytes: number;
  readonly log: LogPort;
}

interface Hop {
  readonly to: JudgedUrl;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body?: string;
  readonly configured: ReadonlySet<string>;
  readonly maxBytes: number;
}

/** Rejects with an EgressRefusal when the guard says no, with an Error that names no address when the network fails. */
export function createToolFetch(parts: ToolFetchParts): ToolFetch {
  return async (url, init = {}) => {
    const abort = new AbortController();
    const stop = (): void => abort.abort();
    parts.signal.addEventListener("abort", stop, { once: true });
    if (parts.signal.aborted) stop();
    try {
      return await follow(firstHop(url, init, parts), parts, abort.signal);
    } catch (error) {
      if (error instanceof EgressRefusal) parts.log("warn", "egress_blocked", { class: error.class });
      throw error;
    } finally {
      parts.signal.removeEventListener("abort", stop);
    }
  };
}

function firstHop(url: string, init: ToolFetchInit, { rules, maxBytes }: ToolFetchParts): Hop {
  const method = init.method?.toUpperCase() ?? "GET";
  if (!METHODS.has(method)) throw new TypeError(`a tool cannot send ${JSON.stringify(method)}`);
  const to = allowed(judgeUrl(url, rules, parseUrl));
  const headers = readToolHeaders(init.headers ?? {});
  if (headers === undefined) throw new EgressRefusal("header");
  return {
    to,
    method,
    headers,
    configured: init.configuredHeaders ?? new Set(),
    maxBytes: Math.min(maxBytes, init.maxBytes ?? maxBytes),
    ...(init.body === undefined ? {} : { body: init.body }),
  };
}

/** The guard's yes, or its refusal thrown: `ToolFetch` has the shape of fetch, which says no by rejecting. */
function allowed<Value>(judged: Result<Value, EgressFault>): Value {
  if (judged.ok) return judged.value;
  throw new EgressRefusal(judged.failure.class);
}

async function follow(first: Hop, parts: ToolFetchParts, signal: AbortSignal): Promise<ToolFetchAnswer> {
  let hop = first;
  for (let followed = 0; ; followed += 1) {
    const response = await overNetwork(() => send(hop, parts, signal), parts);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return readAnswer(response, hop, parts);
    // What a redirect says of itself is of no use, and an unread body keeps its connection.
    await overNetwork(async () => response.body?.cancel(), parts);
    hop = nextHop(hop, { location, followed }, parts);
  }
}

function send({ to, method, headers, body }: Hop, parts: ToolFetchParts, signal: AbortSignal): Promise<Response> {
  // Taken out first: the platform's fetch refuses to be called as somebody's method.
  const { fetch } = parts;
  return fetch(to.href, {
    method,
    headers: Object.fromEntries(headers),
    redirect: "manual",
    signal,
    ...(body === undefined ? {} : { body }),
  });
}

function nextHop(
  hop: Hop,
  { location, followed }: { readonly location: string; readonly followed: number },
  { rules }: ToolFetchParts,
): Hop {
  const to = allowed(judgeRedirect({ location, followed, from: hop.to, method: hop.method }, rules, parseUrl));
  return { ...hop, to, headers: to.crossOrigin ? keepAcrossOrigins(hop.headers, hop.configured) : hop.headers };
}

async function readAnswer(response: Response, hop: Hop, parts: ToolFetchParts): Promise<ToolFetchAnswer> {
  const bytes = await overNetwork(() => readBounded(response.body, hop.maxBytes), parts);
  if (bytes === undefined) throw new EgressRefusal("size");
  const text = (): string => new TextDecoder().decode(bytes);
  return {
    status: response.status,
    ok: response.ok,
    url: hop.to.href,
    headers: visibleHeaders(response.headers),
    text: async () => text(),
    json: async () => JSON.parse(text()) as unknown,
    bytes: async () => bytes,
  };
}

/** The platform's own words may hold addresses and references. */
async function overNetwork<Value>(act: () => Promise<Value>, { signal }: ToolFetchParts): Promise<Value> {
  try {
    return await act();
  } catch {
    throw new Error(signal.aborted ? "request stopped" : "egress failed");
  }
}
