/** The named points at which an object of the test build ends: each is told by what its transaction writes, so that the shipped code knows of none. Rules: KP1–KP4, KP7–KP13, KP15, KP17–KP22. */

/** What a transaction writes: an event by its type, or one of the other facts. */
export type Fact = string;

export interface CrashPoint {
  /** The transaction is taken back, or it is the last one that is kept. */
  readonly when: "before" | "after";
  readonly wrote: Fact;
  /** Of two transactions that write the same, the one that does not also write this. */
  readonly without?: Fact;
}

export const crashPoints: Readonly<Record<string, CrashPoint>> = {
  "accept.before_commit": { when: "before", wrote: "turn_accepted" },
  "accept.after_commit": { when: "after", wrote: "turn_accepted" },
  "turn.after_start": { when: "after", wrote: "turn_started" },
  "model.after_reserve": { when: "after", wrote: "step" },
  "model.before_commit": { when: "before", wrote: "usage" },
  "model.after_commit": { when: "after", wrote: "usage" },
  "prepare.after_hooks": { when: "before", wrote: "approval_requested" },
  "decide.after_commit": { when: "after", wrote: "approval_requested" },
  "approval.after_decision": { when: "after", wrote: "approval_decided" },
  "call.before_started": { when: "before", wrote: "tool_call", without: "tool_result" },
  "call.after_started": { when: "after", wrote: "tool_call", without: "tool_result" },
  "call.after_effect": { when: "before", wrote: "tool_result", without: "tool_call" },
  "call.after_settle": { when: "after", wrote: "tool_result", without: "tool_call" },
  "batch.after_last_settle": { when: "before", wrote: "round" },
  "final.before_commit": { when: "before", wrote: "turn_finished" },
  "final.after_commit": { when: "after", wrote: "turn_finished" },
  "cancel.after_request": { when: "after", wrote: "cancel" },
  "steer.after_commit": { when: "after", wrote: "steering" },
};

/** What one statement adds to the facts of its transaction. */
export function factOf(statement: string, bindings: readonly unknown[]): Fact | undefined {
  if (statement.startsWith("INSERT INTO events ")) return String(bindings[2]);
  if (statement.startsWith("INSERT INTO steps ")) return "step";
  if (statement.startsWith("INSERT INTO steering ")) return "steering";
  if (statement.startsWith("UPDATE steps SET state = ?") && bindings[0] === "appended") return "round";
  if (statement.startsWith("UPDATE turns SET cancel_ms = ?")) return "cancel";
  return undefined;
}

const conversationPattern = /crash-([a-z_-]+)-(?:plain|idempotent|gated|client|delegate)-/;

/** A conversation of this name ends at the point, once. */
export const conversationAt = (point: string, tool: string, run: string): string =>
  `crash-${point.replace(".", "--")}-${tool}-${run}`;

export function pointOf(objectName: string): CrashPoint | undefined {
  const name = conversationPattern.exec(objectName)?.[1]?.replace("--", ".");
  return name === undefined ? undefined : crashPoints[name];
}
