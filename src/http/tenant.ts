/** One request's way to the object of its own tenant, and to no other. Rules: G16, SE17, SE19. */
import type { Context } from "hono";
import type { Problem } from "../contracts/errors.ts";
import type { Result } from "../contracts/result.ts";
import type { TenantEdgeVerbs } from "../contracts/tenant.ts";
import type { Dependencies } from "./dependencies.ts";
import type { EdgeEnv } from "./env.ts";
import { callVerb, noteLoss } from "./reach-object.ts";

const timeoutMs = 30_000;

export interface Tenant {
  readonly name: string;
  /** Every verb of the edge has the same effect twice. */
  call<Value>(verb: (stub: TenantEdgeVerbs) => Promise<Result<Value, Problem>>): Promise<Result<Value, Problem>>;
}

/** Named by the authenticated principal alone: there is no way to name another. */
export function openTenant(context: Context<EdgeEnv>, dependencies: Dependencies): Tenant {
  const { tenant } = context.get("principal");
  return {
    name: tenant,
    call: async (verb) => {
      const answer = await callVerb(async () => await verb(dependencies.tenants(tenant)), {
        idempotent: true,
        timeoutMs,
      });
      return noteLoss(answer, dependencies.log, context.get("requestId"));
    },
  };
}
