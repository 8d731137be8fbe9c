/** Reads a request as a turn: what is asked, what has been called for it, what came of that. */
import type { ModelMessage, ModelMessageCall, ModelMessageResult, ModelRequest } from "../../contracts/model.ts";

export interface MadeCall {
  readonly call: ModelMessageCall;
  readonly result: ModelMessageResult;
}

export interface ReadTurn {
  /** Texts of the user's messages since the last answer, newest first. The first is the question; the others stand behind a round in progress. */
  readonly asked: readonly string[];
  /** Calls with their results since the last answer, in order. */
  readonly made: readonly MadeCall[];
  /** How many calls the whole history shows, for ids that are new in it. */
  readonly callsBefore: number;
}

export function readTurn({ messages }: ModelRequest): ReadTurn {
  const answered = messages.findLastIndex((message) => message.role === "assistant" && message.calls.length === 0);
  const current = messages.slice(answered + 1);
  const results = new Map(
    current
      .flatMap((message) => (message.role === "tool" ? message.results : []))
      .map((result) => [result.wireId, result]),
  );
  const made = current.flatMap(callsOf).flatMap((call) => {
    const result = results.get(call.wireId);
    return result === undefined ? [] : [{ call, result }];
  });
  return { asked: askedIn(current), made, callsBefore: messages.flatMap(callsOf).length };
}

const callsOf = (message: ModelMessage): readonly ModelMessageCall[] =>
  message.role === "assistant" ? message.calls : [];

/**
 * The newest message is the question. Behind a round it may be a note of the runtime or a remark of the user, so the one before
 * that round is read too; with no round between them, an older message is one that was never answered, and stays so.
 */
function askedIn(current: readonly ModelMessage[]): readonly string[] {
  const asked: string[] = [];
  for (let place = current.length - 1; place >= 0; place--) {
    const message = current[place];
    if (message?.role !== "user") continue;
    asked.push(message.parts.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n"));
    if (current[place - 1]?.role !== "tool") break;
  }
  return asked;
}
