/** A room of agents that may delegate to one another: `ada` has the turn, `ben`, `cy` and `dot` answer by scripts of their own. */
import type { WireTurnEvent } from "../../src/wire/event-schemas.ts";
import type { RoomSetup } from "./room-deployment.ts";
import type { ScriptedCall, ScriptedResponse } from "./scripted-provider.ts";
import { type PostedTurn, type SeenTurn, type SuspensionRoom, openSuspensionRoom } from "./suspension-room.ts";

export type Scripts = Readonly<Record<string, readonly ScriptedResponse[]>>;

const month = 30 * 86_400;

/** Everybody reaches everybody; `delegate` and `free` run unasked. */
export const openDelegates: RoomSetup = {
  agents: { ben: {}, cy: {}, dot: {} },
  risk: { delegation_policy: { mode: "allow" }, auto_approve: ["delegate", "free"], approval_timeout_secs: month },
  runtime: { client_tool_timeout_secs: month },
};

/** Keys of profiles come on top of those above. */
export const delegateSetup = (setup: RoomSetup = {}): RoomSetup => ({
  ...openDelegates,
  ...setup,
  risk: { ...openDelegates.risk, ...setup.risk },
  runtime: { ...openDelegates.runtime, ...setup.runtime },
});

/** What a turn comes with; `meanwhile` begins before it does. */
export interface Posting extends PostedTurn {
  readonly meanwhile?: (room: SuspensionRoom) => void;
}

/** A turn of `ada` that has rested. */
export async function runDelegates(
  { ada = [], ...others }: Scripts,
  setup: RoomSetup = {},
  { meanwhile, ...how }: Posting = {},
): Promise<{ readonly room: SuspensionRoom; readonly turn: SeenTurn }> {
  const room = openSuspensionRoom(delegateSetup(setup));
  for (const [alias, script] of Object.entries(others)) room.provider.scriptFor(alias, ...script);
  meanwhile?.(room);
  return { room, turn: await room.run(ada, how) };
}

export const handTo = (agent: string, prompt = `Go, ${agent}.`, more: object = {}): ScriptedCall => ({
  name: "delegate",
  args: { agent, prompt, ...more },
});

/** What the model of an agent was asked, oldest first; of `ada` the model is the provider's default. */
export const requestsOf = ({ provider }: SuspensionRoom, alias: string) =>
  provider.requests.filter(({ model }) => model === (alias === "ada" ? provider.defaultModel : alias));

/** What the model of `ada` is told of each call, in slot order. */
export const resultsOf = ({ history }: SeenTurn): readonly string[] =>
  history.flatMap((entry) => (entry.kind === "tool" ? [entry.text.split("\n\n[receipt:")[0] ?? ""] : []));

/** Who did what with which tool, in the order of the log. */
export const stepsOf = ({ events }: SeenTurn): readonly string[] =>
  events.flatMap((event: WireTurnEvent) => {
    if (event.type === "tool_call") return [`${event.agent} calls ${event.tool}`];
    if (event.type === "tool_result") return [`${event.agent} ${event.tool} ${event.disposition}`];
    if (event.type === "turn_suspended" || event.type === "turn_resumed") return [event.type];
    return [];
  });
