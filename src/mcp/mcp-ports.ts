/** What the MCP client asks of its surroundings, and what a server is configured with. Rules: MC1, MC8, SE31, SE33. */
import type { McpSettings } from "../contracts/config/mcp.ts";
import type { LogPort, SystemPorts } from "../contracts/ports.ts";
import type { Result } from "../contracts/result.ts";
import type { JudgedUrl } from "../policy/egress-guard.ts";
import type { EgressFault } from "../policy/egress-refusal.ts";

export interface McpPorts {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>;
  /** The egress guard's verdict on a URL. */
  readonly judge: (url: string) => Result<JudgedUrl, EgressFault>;
  readonly startTimer: SystemPorts["startTimer"];
  /** Every bound secret by its name. */
  readonly secrets: ReadonlyMap<string, string>;
  /** Takes secrets, in every spelling, out of what a server says of a failure (SE68). */
  readonly clean: (text: string) => string;
  readonly log: LogPort;
}

export type McpServerSettings = McpSettings["servers"][number];
