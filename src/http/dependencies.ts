/** What the app is given: facts of the deployment, objects by their owner, a log. */
import type { Fault } from "../contracts/json.ts";
import type { LogPort } from "../contracts/ports.ts";
import type { Result } from "../contracts/result.ts";
import type { TenantEdgeVerbs } from "../contracts/tenant.ts";
import type { ConversationVerbs } from "../contracts/verbs.ts";
import type { EgressFault } from "../policy/egress-refusal.ts";
import type { AgentListing, ToolListing } from "../wire/responses.ts";

export interface Deployment {
  readonly environment: "live" | "test" | "dev";
  /** Faults of the configuration: with one of them nothing but `/healthz` is answered (CF6). */
  readonly faults: readonly Fault[];
  readonly agents: readonly AgentListing[];
  readonly defaultAgent: string;
  /** Origins of pages that may call, exactly as browsers send them (SE51). */
  readonly corsOrigins: readonly string[];
}

/** A stub: verbs by RPC, byte streams by `fetch` to the object's own router. */
export type ConversationStub = ConversationVerbs & { fetch(request: Request): Promise<Response> };

export interface Dependencies {
  readonly config: () => Deployment;
  /** What an enabled agent would be granted (TC16). */
  readonly describeTools: (agent: string) => Promise<readonly ToolListing[]>;
  /** The egress guard over an address that a client names; `ownHost` is the host of the request in hand. */
  readonly judgeUrl: (url: string, ownHost: string) => Result<unknown, EgressFault>;
  /** A fresh stub each time: an old one keeps failing once its object was reset (DU35). */
  readonly conversations: (tenant: string, conversation: string) => ConversationStub;
  /** A fresh stub each time, too. */
  readonly tenants: (tenant: string) => TenantEdgeVerbs;
  readonly log: LogPort;
  readonly version: string;
  readonly commit: string;
}
