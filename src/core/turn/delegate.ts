/** A delegate's call: its frame is opened, or taken up where its rows have it, and what it comes to is the call's result. Rules: RX13, RX14, EX14, DI14, CK16, DG6, DG9–DG12. */
import type { JsonObject } from "../../contracts/json.ts";
import type { UserEntry } from "../../contracts/message.ts";
import { makeInert } from "../../policy/inert.ts";
import { hideTools } from "../execution/hide-tools.ts";
import type { ResolvedAgentExecution } from "../execution/resolved-agent-execution.ts";
import { frameSeal } from "./end-open-call.ts";
import type { RawResult } from "./execute-call.ts";
import { observeAgent } from "./observe-turn.ts";
import { openDelegate } from "./open-frame.ts";
import { eventsOfEnd } from "./finish-turn.ts";
import { type EndedOutcome, type Suspended, suspendedHere } from "./outcome.ts";
import { type RestoredLoop, restoreDelegate } from "./restore-loop.ts";
import * as sentences from "./runtime-sentences.ts";
import type { StartedCall } from "./steps/dispatch.ts";
import { atTheBeginning, runToolLoop } from "./tool-loop.ts";
import type { ToolLoop } from "./turn-context.ts";

/** What a frame came to, as its row keeps it until its caller has it. */
interface FrameEnd {
  readonly kind: EndedOutcome["kind"];
  readonly reason?: string;
  readonly text: string;
}

/** Suspended when somebody must decide inside the frame: the call stays started, and is met again with its batch. */
export async function runDelegate(caller: ToolLoop, { approved }: StartedCall): Promise<RawResult | Suspended> {
  const { callId } = approved.call;
  const { agent = "", prompt = "", context = "" } = approved.args as Partial<Record<string, string>>;
  const { delegates, registry } = caller.execution;
  const journal = caller.journal.delegateFrame(callId);
  const rows = journal.readFrame();
  if (rows?.outcome !== undefined) return toRawResult(rows.outcome as JsonObject & FrameEnd);
  // Either may have changed while the frame waited.
  const isGranted = "tool" in registry.resolve(approved.tool.definition.name);
  if (!isGranted || !delegates.reachable.includes(agent)) {
    if (rows !== undefined) journal.closeFrame({ kind: "failed", reason: "not_available", text: "" }, frameSeal);
    return failed(sentences.noDelegate(agent, isGranted ? delegates.reachable : []));
  }
  const execution = delegates.resolve(agent, caller.execution);
  return await runFrame(
    rows === undefined
      ? openFor(caller, callId, { execution, prompt, context })
      : restoreDelegate(caller, { journal, rows, execution }),
  );
}

async function runFrame({ loop, start }: RestoredLoop): Promise<RawResult | Suspended> {
  let result: RawResult | Suspended = suspendedHere;
  await observeAgent(loop, async () => {
    const outcome = await runToolLoop(loop, start);
    if (outcome.kind !== "suspended") {
      const { kind, text } = outcome;
      const end = { kind, text, ...("reason" in outcome ? { reason: outcome.reason } : {}) };
      loop.journal.endFrame(end, { entries: outcome.entries, events: eventsOfEnd(loop, outcome) });
      result = toRawResult(end);
    }
    return outcome.kind;
  });
  return result;
}

interface Asked {
  readonly execution: ResolvedAgentExecution;
  readonly prompt: string;
  readonly context: string;
}

/** One user message, what goes with it in a block of its own before it; nothing else of the caller's goes along. */
function openFor(caller: ToolLoop, callId: string, { execution, prompt, context }: Asked): RestoredLoop {
  const text = context.trim() === "" ? prompt : `${sentences.delegateContext(makeInert(context))}\n\n${prompt}`;
  const entry: UserEntry = { kind: "user", turn: caller.identity.turn, parts: [{ type: "text", text }] };
  // Its own groups, judged on its own prompt (DG8).
  const hidden = hideTools(execution, prompt);
  return { loop: openDelegate(caller, callId, { execution, hidden, entries: [entry] }), start: atTheBeginning };
}

function toRawResult({ kind, reason, text }: FrameEnd): RawResult {
  if (kind === "cancelled") {
    return { disposition: "interrupted", text: sentences.OUTCOME_UNKNOWN, ownWords: true };
  }
  if (kind === "final" && text.trim() !== "") return { disposition: "succeeded", text, ownWords: false };
  return failed(sentences.delegateFailed(kind === "final" ? "empty" : (reason ?? kind), text));
}

const failed = (text: string): RawResult => ({ disposition: "failed", text, ownWords: false });
