/** What a conversation that dies is put through, as a value: its tools, what its model says, who acts meanwhile. Rules: DU50. */
import type { JsonObject } from "../../src/contracts/json.ts";
import type { ModelEvent, ModelMessage } from "../../src/contracts/model.ts";
import type { Tool } from "../../src/contracts/tool.ts";
import type { OnBusy } from "../../src/contracts/turn.ts";
import type { SqlPort } from "../../src/storage/sql-port.ts";
import type { RoomSetup } from "./room-deployment.ts";
import { says } from "./scripted-provider.ts";

export interface Effect {
  readonly callId: string;
  readonly tool: string;
  readonly args: JsonObject;
  readonly key?: string;
  /** Of its row, as it was durable when the effect came. */
  readonly callState: string;
}

/** The world that tools act on. */
export interface Outside {
  /** A tool whose effect is written down outside of the object. */
  readonly effect: (name: string, flags?: Partial<Tool>) => Tool;
}

export interface Verbs {
  readonly steer: (text: string) => void;
  readonly cancel: () => void;
  readonly post: (input: string, onBusy?: OnBusy) => void;
}

export interface CrashScript {
  readonly name: string;
  readonly setup: (world: Outside) => RoomSetup;
  /** By the input of a turn or the prompt of a delegate: what the model says to it, one answer after each of its own. */
  readonly answers: Readonly<Record<string, readonly (readonly ModelEvent[])[]>>;
  readonly inputs: readonly string[];
  /** What somebody does the first time that a tool runs, or that the model is asked. */
  readonly meanwhile?: { readonly at: "effect" | "model"; readonly act: (verbs: Verbs) => void };
  /** What comes to the rows before anybody takes the turn up again. */
  readonly afterCrash?: (sql: SqlPort) => void;
  /** Whether somebody answers what is asked, and if so whether also of an instance that came after a crash. */
  readonly person?: "first life" | "any life";
}

/** Told by the request alone, so that it is the same whenever it is made again. */
export function answerTo({ answers }: CrashScript, messages: readonly ModelMessage[]): readonly ModelEvent[] {
  const wordsOf = (message: ModelMessage): string =>
    message.role === "user" ? message.parts.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  const asked = messages.findLastIndex((message) => answers[wordsOf(message)] !== undefined);
  const asking = messages[asked];
  const said = messages.slice(asked + 1).filter(({ role }) => role === "assistant").length;
  return (asking && answers[wordsOf(asking)]?.[said]) ?? says("Done.");
}
