/** Answers nothing while the deployment is unusable: a faulty configuration, or no key that could open it. Rules: CF6, SE4. */
import type { MiddlewareHandler } from "hono";
import type { Problem } from "../../contracts/errors.ts";
import type { Dependencies, Deployment } from "../dependencies.ts";
import type { EdgeBindings, EdgeEnv } from "../env.ts";
import { respondProblem } from "../problem-response.ts";

export function requireConfigured({ config, log }: Dependencies): MiddlewareHandler<EdgeEnv> {
  return async (context, next) => {
    const deployment = config();
    const faults = deployment.faults.length;
    if (faults === 0 && developmentKey(deployment, context.env) !== undefined) return await next();
    log("error", faults === 0 ? "no_key_configured" : "config_faults", { faults });
    return respondProblem(context, notConfigured);
  };
}

/** The one kind of key there is so far; any environment but `dev` is production, where it opens nothing. */
export function developmentKey({ environment }: Deployment, env: EdgeBindings | undefined): string | undefined {
  const key = env?.COUNTERSIGN_DEV_KEY;
  return environment === "dev" && key !== undefined && /^ck_dev_[\x21-\x7e]{1,248}$/.test(key) ? key : undefined;
}

const notConfigured: Problem = {
  slug: "not-configured",
  detail: "This deployment is not configured. Its log says what is missing.",
};
