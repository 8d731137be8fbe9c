/** Calls an object and tells one that went away from a bug. Rules: DU35, DU38. */
import type { Problem } from "../contracts/errors.ts";
import type { LogPort } from "../contracts/ports.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";

export interface ReachOptions {
  /** Only what has the same effect twice is tried twice. */
  readonly idempotent: boolean;
  /** Milliseconds; an RPC that never answers must not hold the client for ever. */
  readonly timeoutMs: number;
}

const resetSigns = [
  "code was updated",
  "has been upgraded",
  "Network connection lost",
  "no longer active",
  "exceeded its memory limit",
  "storage operation exceeded timeout",
];
const retryDelayMs = 50;

/** One value, so that it can be told from an object's own refusal. */
export const unreachable: Problem = {
  slug: "overloaded",
  detail: "What answers this cannot be reached for a moment. Try again.",
};

/** `attempt` makes a new stub each time. Anything that is no reset, overload or timeout is a bug and stays thrown. */
export async function reachObject<Value>(
  attempt: () => Promise<Value>,
  options: ReachOptions,
): Promise<Result<Value, Problem>> {
  for (let triesLeft = options.idempotent ? 1 : 0; ; triesLeft -= 1) {
    try {
      return succeed(await withinTime(attempt(), options.timeoutMs));
    } catch (error) {
      const trouble = classify(error);
      if (trouble === "bug") throw error;
      if (trouble !== "retryable" || triesLeft === 0) return failWith(unreachable);
      await new Promise((resolve) => setTimeout(resolve, retryDelayMs));
    }
  }
}

/** The same for verbs, whose own refusals pass through as they are. */
export async function callVerb<Value>(
  attempt: () => Promise<Result<Value, Problem>>,
  options: ReachOptions,
): Promise<Result<Value, Problem>> {
  const reached = await reachObject(attempt, options);
  return reached.ok ? reached.value : reached;
}

/** An answer as it is, with a line in the log when there was none. */
export function noteLoss<Answered extends Result<unknown, Problem>>(
  answered: Answered,
  log: LogPort,
  requestId: string,
): Answered {
  if (!answered.ok && answered.failure === unreachable) log("warn", "object_unreachable", { request_id: requestId });
  return answered;
}

type Trouble = "retryable" | "lasting" | "bug";

function classify(error: unknown): Trouble {
  if (error === timedOut) return "lasting";
  if (!(error instanceof Error)) return "bug";
  if (hasFlag(error, "overloaded")) return "lasting";
  const reset = hasFlag(error, "durableObjectReset") || resetSigns.some((sign) => error.message.includes(sign));
  if (hasFlag(error, "retryable")) return "retryable";
  return reset ? "lasting" : "bug";
}

const hasFlag = (error: Error, flag: string): boolean => Reflect.get(error, flag) === true;

const timedOut = new Error("the object did not answer in time");

function withinTime<Value>(answer: Promise<Value>, timeoutMs: number): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timedOut), timeoutMs);
    answer.finally(() => clearTimeout(timer)).then(resolve, reject);
  });
}
