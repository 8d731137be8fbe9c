/** History: what the model is told happened, entry by entry, in order. Rules: RX10, HI2, HI4, HI6. */
import type { JsonObject } from "./json.ts";

/** A piece of a user's input. An image is a URL or base64 data, never both. */
export type InputPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly mediaType: string; readonly url: string }
  | { readonly type: "image"; readonly mediaType: string; readonly data: string };

/** A call as the assistant message shows it: the argument text is replayed verbatim when it was valid (HI6). */
export interface HistoryCall {
  readonly callId: string;
  readonly wireId: string;
  /** Real tool name. */
  readonly tool: string;
  readonly argumentsText: string;
  readonly providerMetadata?: JsonObject;
}

export interface UserEntry {
  readonly kind: "user";
  readonly turn: string;
  readonly parts: readonly InputPart[];
}
export interface AssistantEntry {
  readonly kind: "assistant";
  readonly turn: string;
  readonly text: string;
  /** What of `text` is not protocol, where the calls were written in it. */
  readonly visibleText?: string;
  readonly reasoning?: string;
  readonly calls: readonly HistoryCall[];
  readonly providerMetadata?: JsonObject;
}
/** The result of one call, receipt line included, exactly as the model sees it. */
export interface ToolEntry {
  readonly kind: "tool";
  readonly turn: string;
  readonly callId: string;
  readonly wireId: string;
  readonly tool: string;
  readonly text: string;
  readonly success: boolean;
}
/** Text by the runtime for the model only; never shown as conversation. */
export interface NoteEntry {
  readonly kind: "note";
  readonly turn: string;
  readonly text: string;
}
export type HistoryEntry = UserEntry | AssistantEntry | ToolEntry | NoteEntry;
