/** Hooks around tool calls: what `defineHook` takes, what such a hook is given, what it may answer. Rules: CP4–CP6, RD5. */
import type { JsonObject } from "../json.ts";

export const toolHookPoints = ["before_tool_call", "after_tool_call", "repair_tool_call"] as const;
export type ToolHookPoint = (typeof toolHookPoints)[number];

/** Whose call it is. */
export interface ToolHookContext {
  readonly tenant: string;
  readonly conversation: string;
  readonly turn: string;
  readonly callId: string;
  readonly agent: string;
  readonly subject: string;
}

export interface HookedCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly context: ToolHookContext;
}
/** A call whose arguments were no JSON object; `argumentsText` is what the model wrote. */
export interface FaultyCall {
  readonly tool: string;
  readonly argumentsText: string;
  readonly context: ToolHookContext;
}
export interface FinishedCall extends HookedCall {
  readonly result: { readonly success: boolean; readonly output: string; readonly error?: string };
  readonly durationMs: number;
}

export type BeforeAnswer =
  | undefined
  | { readonly tool?: string; readonly args?: JsonObject }
  | { readonly cancel: string };

interface HookRuns {
  before_tool_call(call: HookedCall): BeforeAnswer | Promise<BeforeAnswer>;
  after_tool_call(call: FinishedCall): void | Promise<void>;
  repair_tool_call(call: FaultyCall): JsonObject | undefined | Promise<JsonObject | undefined>;
}

/** One registered hook, frozen. `agents` are patterns over aliases; empty means all. */
export interface ToolHookAt<Point extends ToolHookPoint> {
  readonly name: string;
  readonly on: Point;
  /** Higher runs first. */
  readonly priority: number;
  /** A hook that throws or is late cancels the call instead of changing nothing. */
  readonly failClosed: boolean;
  readonly agents: readonly string[];
  readonly run: HookRuns[Point];
}
export type ToolHook = { [Point in ToolHookPoint]: ToolHookAt<Point> }[ToolHookPoint];

export type ToolHookDefinition<Point extends ToolHookPoint> = Pick<ToolHookAt<Point>, "name" | "on" | "run"> &
  Partial<ToolHookAt<Point>>;
