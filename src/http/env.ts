/** What the edge reads of the Worker's bindings, and what it keeps for one request. */
import type { Principal } from "../contracts/turn.ts";

export interface EdgeBindings {
  /** The development key; honoured under the environment `dev` alone. */
  readonly COUNTERSIGN_DEV_KEY?: string;
}

export interface EdgeVariables {
  requestId: string;
  /** Set by authentication; routes outside `/v1` have none. */
  principal: Principal;
}

export interface EdgeEnv {
  Bindings: EdgeBindings;
  Variables: EdgeVariables;
}
