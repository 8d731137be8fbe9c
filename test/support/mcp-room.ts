/** A conversation whose agent has MCP servers on loopback: real client, real rows, a scripted model. */
import type { ConfigFile } from "../../src/contracts/config.ts";
import type { RoomSetup } from "./room-deployment.ts";
import { type SuspensionRoom, openSuspensionRoom } from "./suspension-room.ts";

type ServerEntry = NonNullable<NonNullable<ConfigFile["mcp"]>["servers"]>[number];

export interface McpRoomSetup extends Omit<RoomSetup, "mcp"> {
  readonly mcp?: RoomSetup["mcp"];
  /** Keys of every server. */
  readonly server?: Partial<ServerEntry>;
}

/** All in one bundle of the one agent, which may do everything without asking. */
export function mcpSetup(
  servers: Readonly<Record<string, { readonly url: string; readonly port: number }>>,
  { mcp = {}, server = {}, ...setup }: McpRoomSetup = {},
): RoomSetup {
  const names = Object.keys(servers);
  return {
    risk: { level: "full" },
    ...setup,
    agent: { mcp_bundles: ["all"], ...setup.agent },
    reachable: Object.values(servers).map(({ port }) => port),
    mcp: {
      servers: Object.entries(servers).map(([name, { url }]) => ({ name, url, connect_timeout_secs: 2, ...server })),
      bundles: { all: { servers: names } },
      ...mcp,
    },
  };
}

export const openMcpRoom = (...setup: Parameters<typeof mcpSetup>): SuspensionRoom =>
  openSuspensionRoom(mcpSetup(...setup));

/** Real names that the model was offered of servers; in the last request by default. */
export const offeredIn = ({ provider }: SuspensionRoom, at = -1): readonly string[] =>
  provider.requests.at(at)?.tools.flatMap(({ tool }) => (tool.includes("__") ? [tool] : [])) ?? [];
