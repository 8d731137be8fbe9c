/** A server of the test build with its model and its effects beside it; it can be killed, and everything of it is read from disk. Rules: DU49, DU50. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ApiClient, createApiClient } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";
import { type EffectServer, startEffectServer } from "../support/effect-server.ts";
import { writeModelConfig } from "../support/model-config.ts";
import { startModelServer } from "../support/model-server.ts";
import { askCalls, type Errand, obey } from "../support/obedient-model.ts";
import { readConversations } from "../support/stored-conversations.ts";

export type CrashMode = "kill" | "abort";
export const toolKinds = ["plain", "idempotent", "gated", "client", "delegate"] as const;
export type ToolKind = (typeof toolKinds)[number];

export interface CrashRoom {
  readonly outside: EffectServer;
  readonly persistTo: string;
  client(): ApiClient;
  output(): string;
  /** Input of a turn whose calls leave effects that name the conversation. */
  input(kind: ToolKind, conversation: string): string;
  kill(): Promise<void>;
  /** On the same data; without a mode no object ends any more. */
  start(mode?: CrashMode): Promise<void>;
  /** Resolves when no turn is open on disk. Sends nothing. */
  rest(withinMs: number): Promise<void>;
  stop(): Promise<void>;
  close(): Promise<void>;
}

const declared = { kind: "client", name: "pick", description: "Run by the caller.", input_schema: { type: "object" } };
const asks = {
  level: "supervised",
  auto_approve: ["note", "again", "pick", "slow", "delegate"],
  approval_timeout_secs: 20,
  delegation_policy: { mode: "allow" },
};

/** What a tool posts that `holds` names gets no answer: its call is in flight for as long as the server lives. */
export async function openCrashRoom(holds: (body: string) => boolean): Promise<CrashRoom> {
  const persistTo = mkdtempSync(join(tmpdir(), "countersign-crash-"));
  const [model, outside] = await Promise.all([startModelServer(obey), startEffectServer(holds)]);
  const config = writeModelConfig(
    { model: model.port },
    {
      reachable: [outside.port],
      tools: [declared],
      agents: { model: { model_provider: "model", delegates: ["helper"] }, helper: { model_provider: "model" } },
      risk_profiles: { default: asks },
      runtime_profiles: { default: { client_tool_timeout_secs: 3 } },
    },
  );
  let server: RunningServer | undefined;
  const running = (): RunningServer => {
    if (server === undefined) throw new Error("no server runs");
    return server;
  };
  const call = (name: string, note: string): Errand => ({ name, args: { port: outside.port, note } });
  return {
    outside,
    persistTo,
    client: () => createApiClient(running()),
    output: () => running().output(),
    input: (kind, conversation) => askCalls(...errandsOf(kind, (name, at) => call(name, `${conversation} ${at}`))),
    kill: async () => await running().kill(),
    start: async (mode) => {
      const vars = mode === undefined ? {} : { vars: { CRASH_MODE: mode } };
      server = await startServer({ entry: "test/crash/worker/entry.ts", configFile: config.file, persistTo, ...vars });
    },
    rest: async (withinMs) => await untilAtRest(persistTo, withinMs),
    stop: async () => await running().stop(),
    close: async () => {
      await Promise.all([model.stop(), outside.stop()]);
      config.remove();
      rmSync(persistTo, { recursive: true, force: true });
    },
  };
}

/** Two calls each: the second one shows whether the batch went on. */
function errandsOf(kind: ToolKind, call: (name: string, at: number) => Errand): readonly Errand[] {
  const then = call("note", 2);
  switch (kind) {
    case "plain":
      return [call("note", 1), then];
    case "idempotent":
      return [call("again", 1), then];
    case "gated":
      return [call("record", 1), then];
    case "client":
      return [{ name: "pick", args: {} }, then];
    case "delegate":
      return [{ name: "delegate", args: { agent: "helper", prompt: askCalls(call("note", 1)) } }, then];
    default:
      return kind satisfies never;
  }
}

async function untilAtRest(persistTo: string, withinMs: number): Promise<void> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const open = readConversations(
      persistTo,
      (sql) => sql.all("SELECT id FROM turns WHERE finished_ms IS NULL").length,
    );
    const left = [...open].filter(([, turns]) => turns > 0);
    if (left.length === 0) return;
    if (Date.now() > deadline) throw new Error(`turns are still open: ${left.map(([id]) => id).join(", ")}`);
    await sleep(250);
  }
}
