/** What the parts of a conversation object share: its rows, its deployment, its readers, its platform. */
import type { TurnRecord } from "../src/contracts/turn.ts";
import type { StoreContext } from "../src/storage/store-context.ts";
import type { Deployment } from "./deployment.ts";
import type { EventFanout } from "./event-fanout.ts";
import type { McpServers } from "./mcp-servers.ts";
import type { Outbox } from "./outbox.ts";
import type { ConversationProgress } from "./progress-board.ts";
import type { TenantPort } from "./tenant-port.ts";

export interface Owner {
  readonly tenant: string;
  readonly conversation: string;
}

/** A verb that may set a turn running again needs the queue beside the parts. */
export interface Room {
  readonly parts: ConversationParts;
  readonly queue: { kick(): void; beat(turn: string): void; resume(turn: TurnRecord): void; settle(): void };
}

export interface ConversationParts {
  readonly owner: Owner;
  readonly deployment: Deployment;
  readonly store: StoreContext;
  readonly fanout: EventFanout;
  readonly progress: ConversationProgress;
  readonly mcp: McpServers;
  readonly tenant: TenantPort;
  readonly outbox: Outbox;
  /** Resolves when everything written so far is durable. */
  readonly durable: () => Promise<void>;
  /** The object stays in memory until the promise settles. */
  readonly keepAwake: (work: Promise<void>) => void;
}
