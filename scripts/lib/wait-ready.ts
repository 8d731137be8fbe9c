/** Waits until a server answers its health route. */
import { setTimeout as sleep } from "node:timers/promises";

const pollEveryMs = 150;

/** After a failed build the port accepts and never answers, so each request has a limit of its own. */
const requestTimeoutMs = 1500;

async function answers(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(requestTimeoutMs) });
    await response.arrayBuffer();
    return response.ok;
  } catch {
    return false;
  }
}

/** True once `GET /healthz` is 200; false when `signal` aborts first. */
export async function waitReady(url: string, signal: AbortSignal): Promise<boolean> {
  while (!signal.aborted) {
    if (await answers(url)) return !signal.aborted;
    await sleep(pollEveryMs);
  }
  return false;
}
