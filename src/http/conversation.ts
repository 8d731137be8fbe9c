/** One request's way to one conversation object: who asks, verbs by RPC, byte streams by fetch. Rules: SE15, SE17, DU46. */
import type { Context } from "hono";
import type { Problem } from "../contracts/errors.ts";
import { failWith, type Result } from "../contracts/result.ts";
import type { Caller, ConversationVerbs } from "../contracts/verbs.ts";
import { callerHeader, encodeCaller } from "./caller-header.ts";
import { conversationDeleted } from "../wire/tenant-problems.ts";
import type { ConversationStub, Dependencies } from "./dependencies.ts";
import type { EdgeEnv } from "./env.ts";
import { callVerb, noteLoss, reachObject } from "./reach-object.ts";
import { openTenant } from "./tenant.ts";

/** Milliseconds that an object has for a verb beyond the time it was asked to wait. */
const graceMs = 30_000;

export interface VerbOptions {
  readonly idempotent: boolean;
  /** Seconds that the verb itself may wait. */
  readonly waitSecs?: number;
}

export interface Conversation {
  readonly id: string;
  call<Value>(
    verb: (stub: ConversationVerbs, caller: Caller) => Promise<Result<Value, Problem>>,
    options: VerbOptions,
  ): Promise<Result<Value, Problem>>;
  /** `path` begins with `/` and names a route of the object's own router. */
  fetch(path: string, headers?: Readonly<Record<string, string>>): Promise<Result<Response, Problem>>;
}

/** The tenant is always the caller's own, so a foreign id leads to an empty object of the caller's. */
export function openConversation(context: Context<EdgeEnv>, dependencies: Dependencies, id: string): Conversation {
  const principal = context.get("principal");
  const caller: Caller = { principal, conversation: id, requestId: context.get("requestId") };
  const stub = (): ConversationStub => dependencies.conversations(principal.tenant, id);
  const noted = <Value>(answer: Result<Value, Problem>): Result<Value, Problem> =>
    noteLoss(answer, dependencies.log, caller.requestId);
  /** An object without rows cannot tell that it had some; its tenant's can, and if that is out of reach nothing was. */
  const wasDeleted = async (): Promise<boolean> => {
    const tenant = openTenant(context, dependencies);
    const deleted = await tenant.call((own) => own.isDeleted({ tenant: tenant.name, conversation: id }));
    return deleted.ok && deleted.value;
  };
  return {
    id,
    call: async (verb, { idempotent, waitSecs = 0 }) => {
      const timeoutMs = waitSecs * 1000 + graceMs;
      const answer = noted(await callVerb(async () => await verb(stub(), caller), { idempotent, timeoutMs }));
      return answer.ok || answer.failure.slug !== "not-found" || !(await wasDeleted())
        ? answer
        : failWith(conversationDeleted);
    },
    fetch: async (path, headers = {}) => {
      const attempt = async (): Promise<Response> =>
        await stub().fetch(
          new Request(`http://object${path}`, {
            headers: { ...headers, [callerHeader]: encodeCaller(caller) },
            signal: context.req.raw.signal,
          }),
        );
      return noted(await reachObject(attempt, { idempotent: true, timeoutMs: graceMs }));
    },
  };
}
