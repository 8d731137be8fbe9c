/** Observer records: what a turn tells whoever watches from inside the runtime. Rules: RD3, RD4, EV11, EV14. */
import type { Disposition } from "./call.ts";
import type { JsonValue } from "./json.ts";
import type { EventContext } from "./turn-event.ts";
import type { TurnUsage } from "./turn.ts";

/** The same that events carry (EV10). */
export type ObserverContext = Omit<EventContext, "iteration">;

interface ObservedCall {
  readonly tool: string;
  readonly callId: string;
  readonly providerCallId?: string;
  readonly arguments: JsonValue;
}

/** Each start has its end on every exit, also on cancel (EV11). */
export type ObserverRecord = ObserverContext &
  (
    | { readonly type: "agent_start" }
    | { readonly type: "llm_request"; readonly iteration: number; readonly provider: string; readonly model: string }
    | {
        readonly type: "llm_response";
        readonly iteration: number;
        readonly accepted: boolean;
        readonly usage?: TurnUsage;
      }
    | ({ readonly type: "tool_call_start" } & ObservedCall)
    | ({
        readonly type: "tool_call";
        readonly durationMs: number;
        readonly success: boolean;
        readonly disposition: Disposition;
        readonly result: string;
      } & ObservedCall)
    | {
        readonly type: "result_bounded";
        readonly callId: string;
        readonly charsBefore: number;
        readonly charsAfter: number;
      }
    | { readonly type: "result_incomplete"; readonly callId: string; readonly storedBytes: number }
    | { readonly type: "history_trimmed"; readonly droppedMessages: number; readonly keptTurns: number }
    | { readonly type: "turn_complete"; readonly outcome: string }
    | { readonly type: "agent_end"; readonly outcome: string }
  );

/** Must not throw and must not be waited for: what it does changes no turn (EV12). */
export type Observer = (record: ObserverRecord) => void;
