/** A server with an obedient model and a server of effects beside it, and the verbs that lifecycle tests speak. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import {
  acceptStream,
  type ApiClient,
  createApiClient,
  eventOf,
  framesOf,
  freshConversation,
  readFrames,
} from "./api-client.ts";
import { type RunningServer, startServer } from "./dev-server.ts";
import { type EffectServer, startEffectServer } from "./effect-server.ts";
import { type ConfigChanges, writeModelConfig } from "./model-config.ts";
import { type ModelServer, startModelServer } from "./model-server.ts";
import { type Errand, obey } from "./obedient-model.ts";

export interface LifecycleRoom {
  readonly model: ModelServer;
  readonly outside: EffectServer;
  client(): ApiClient;
  /** A call of a test tool whose effect is seen outside. */
  errand(name: "note" | "record", note: string): Errand;
  /** SIGKILL, then a server on the same data. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

/** `record` asks, `note` and `slow` do not; streams of suspended turns linger for a second. */
export async function openLifecycleRoom(changes: ConfigChanges = {}): Promise<LifecycleRoom> {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-state-"));
  const [model, outside] = await Promise.all([startModelServer(obey), startEffectServer()]);
  const supervised = { level: "supervised", auto_approve: ["note", "slow", "ask_user"] };
  const config = writeModelConfig(
    { model: model.port },
    {
      reachable: [outside.port],
      limits: { sse_linger_secs: 1 },
      ...changes,
      agents: { hasty: { model_provider: "model", risk_profile: "hasty" }, ...changes.agents },
      risk_profiles: {
        default: { ...supervised, approval_timeout_secs: 600 },
        hasty: { ...supervised, approval_timeout_secs: 2 },
        ...changes.risk_profiles,
      },
    },
  );
  let server: RunningServer = await startServer({ configFile: config.file, persistTo });
  return {
    model,
    outside,
    client: () => createApiClient(server),
    errand: (name, note) => ({ name, args: { port: outside.port, note } }),
    killAndRestart: async () => {
      await server.kill();
      server = await startServer({ configFile: config.file, persistTo });
    },
    close: async () => {
      await server.stop();
      await Promise.all([model.stop(), outside.stop()]);
      config.remove();
      rmSync(persistTo, { recursive: true, force: true });
    },
  };
}

/** What tests read of a turn's document. */
export interface TurnDocument {
  readonly turn: string;
  readonly state: string;
  readonly outcome?: string;
  readonly text?: string;
  readonly open_requests?: {
    readonly approvals: readonly { readonly approval_id: string; readonly tool: string; readonly expires_at: string }[];
    readonly client_calls: readonly { readonly call_id: string; readonly tool: string; readonly arguments: unknown }[];
  };
}

/** Reads a stream until an event is `there`, then hangs up. */
async function readUntil(
  response: Promise<Response>,
  there: (event: WireTurnEvent) => boolean,
): Promise<readonly WireTurnEvent[]> {
  const decoder = new TextDecoder();
  let body = "";
  for await (const chunk of (await response).body ?? []) {
    body += decoder.decode(chunk, { stream: true });
    const events = framesOf(body).map(eventOf);
    if (events.some(there)) return events;
  }
  throw new Error(`the stream ended before that: ${framesOf(body).at(-1)}`);
}

/** One conversation of a room: its verbs by their routes. */
export function openConversation(client: ApiClient, about: string, id = freshConversation(about)) {
  const path = `/v1/conversations/${id}`;
  const post = (tail: string, body: unknown, headers?: Record<string, string>): Promise<Response> =>
    client.post(`${path}/${tail}`, body, headers);
  const documentOf = async (response: Response): Promise<TurnDocument> => await response.json();
  const read = async (turn: string): Promise<TurnDocument> =>
    await documentOf(await client.get(`${path}/turns/${turn}`));
  const follow = (turn: string): Promise<Response> => client.get(`${path}/events?turn=${turn}`, acceptStream);
  return {
    id,
    path,
    read,
    /** Posts a turn and takes the answer as JSON: at its end, or as soon as it waits for somebody. */
    turn: async (input: string, more: object = {}) => {
      const response = await post("turns", { input, ...more });
      return { status: response.status, body: await documentOf(response) };
    },
    start: async (input: string, more: object = {}): Promise<string> => {
      const response = await post("turns", { input, ...more }, { prefer: "respond-async" });
      return (await documentOf(response)).turn;
    },
    decide: (approval: string, decision: object): Promise<Response> => post(`approvals/${approval}`, decision),
    cancel: (turn: string): Promise<Response> => client.post(`${path}/turns/${turn}/cancel`, ""),
    say: (turn: string, text: string): Promise<Response> => post(`turns/${turn}/messages`, { text }),
    answer: (turn: string, ...results: readonly object[]): Promise<Response> =>
      post(`turns/${turn}/tool_results`, { results }),
    stream: (query: string, headers: Record<string, string> = {}): Promise<Response> =>
      client.get(`${path}/events?${query}`, { ...acceptStream, ...headers }),
    /** Everything in the log, or of one turn. */
    log: async (turn?: string): Promise<readonly WireTurnEvent[]> => {
      const only = turn === undefined ? "" : `&turn=${turn}`;
      const response = await client.get(`${path}/events?limit=1000${only}`);
      const { events }: { events: WireTurnEvent[] } = await response.json();
      return events;
    },
    until: (turn: string, there: (event: WireTurnEvent) => boolean) => readUntil(follow(turn), there),
    /** The turn's events once it has ended, whoever it waits for meanwhile. */
    end: async (turn: string): Promise<readonly WireTurnEvent[]> => {
      for (;;) {
        const events = (await readFrames(await follow(turn))).map(eventOf);
        if (events.at(-1)?.type === "turn_finished") return events;
      }
    },
  };
}

export type TestConversation = ReturnType<typeof openConversation>;

/** The approvals that a suspended turn waits for, in call order. */
export function approvalsOf({ body }: { readonly body: TurnDocument }): readonly string[] {
  return body.open_requests?.approvals.map(({ approval_id: id }) => id) ?? [];
}

export function onlyApprovalOf(turn: { readonly body: TurnDocument }): string {
  const [approval, ...more] = approvalsOf(turn);
  if (approval === undefined || more.length > 0) throw new Error(`not one approval: ${JSON.stringify(turn.body)}`);
  return approval;
}
