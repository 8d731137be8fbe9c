/** Runs one load: so many conversations at once, each posting turns one after another until the time is up. */
import { randomUUID } from "node:crypto";
import { TurnClient } from "./turn-client.ts";

export interface Load {
  readonly port: number;
  readonly key: string;
  readonly agent: string;
  /** At once. */
  readonly conversations: number;
  /** History grows with every turn and is read for each: after so many its client begins another conversation. */
  readonly turnsOfConversation: number;
  readonly atLeastMs: number;
  /** CPU is told from this many turns on. */
  readonly atLeastTurns: number;
}

export interface LoadResult {
  /** Milliseconds from post to last frame, ascending. */
  readonly latencies: readonly number[];
  readonly elapsedMs: number;
}

interface Poster {
  readonly client: TurnClient;
  conversation: string;
  turns: number;
}

/**
 * Opens the conversations, each with a first turn that is not counted, and answers the function that runs the load.
 * Both reject as soon as one turn fails: a number over failed turns is worth nothing.
 */
export async function prepareLoad(load: Load): Promise<() => Promise<LoadResult>> {
  const posters = await Promise.all(Array.from({ length: load.conversations }, () => openPoster(load)));
  return async () => {
    const latencies: number[] = [];
    const startedAt = performance.now();
    const isEnough = (): boolean =>
      latencies.length >= load.atLeastTurns && performance.now() - startedAt >= load.atLeastMs;
    const post = async (poster: Poster): Promise<void> => {
      while (!isEnough()) latencies.push(await postNext(poster, load));
    };
    try {
      await Promise.all(posters.map(post));
    } finally {
      for (const { client } of posters) client.close();
    }
    const elapsedMs = performance.now() - startedAt;
    return { latencies: latencies.toSorted((one, other) => one - other), elapsedMs };
  };
}

async function openPoster(load: Load): Promise<Poster> {
  const poster = { client: await TurnClient.connect(load.port), conversation: "", turns: 0 };
  await postNext(poster, load);
  return poster;
}

function postNext(poster: Poster, { agent, key, turnsOfConversation }: Load): Promise<number> {
  if (poster.turns % turnsOfConversation === 0) poster.conversation = `conv_${randomUUID()}`;
  poster.turns += 1;
  return poster.client.postTurn({ conversation: poster.conversation, agent, key });
}
