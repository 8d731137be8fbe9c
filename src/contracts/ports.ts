/** What the core asks of its surroundings: time, chance, digests, cancellation, a log, channels, a meter. */
import type { JsonObject } from "./json.ts";

/** The part of `AbortSignal` the core may see; an `AbortSignal` is one. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: "abort", listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", listener: () => void): void;
}
export interface CancelScope {
  readonly signal: CancelSignal;
  cancel(): void;
}

/** Lower-case hex SHA-256. Large inputs come back as a promise from the platform; small ones at once. */
export type DigestPort = (bytes: Uint8Array) => string | Promise<string>;

export type LogLevel = "debug" | "info" | "warn" | "error";
/** One structured line: a stable code and fields of ids and enums, never content (SE73). */
export type LogPort = (level: LogLevel, code: string, fields?: JsonObject) => void;

export interface SystemPorts {
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly uuid: () => string;
  readonly digest: DigestPort;
  readonly createCancelScope: () => CancelScope;
  /** Runs `act` once after `ms`; the returned function takes it back. */
  readonly startTimer: (ms: number, act: () => void) => () => void;
  readonly log: LogPort;
}

/** The channels that approvals may be routed to (AP10). What is asked of one lies in the inbox until it decides. */
export interface ApproverChannels {
  /** Whether anybody can answer through it. */
  exists(channel: string): boolean;
}

/** One model call that may cost something: what it can come to at most, set aside under an id of its own. */
export interface Charge {
  readonly reservation: string;
  /** Whose call it is. */
  readonly agent: string;
  /** US dollars. */
  readonly estimateUsd: number;
}
/** What became of it. `unknown`: nobody said, so it counts in full (SE81, SE85). `unsent`: it cost nothing. */
export type ChargeEnd = { readonly costUsd: number } | "unknown" | "unsent";

/** The budget that all frames of a turn draw on (SE80). */
export interface CostMeter {
  /** `full`: the call must not be made. `unreachable`: nobody can tell whether there is room. Never rejects. */
  reserve(charge: Charge): Promise<"granted" | "full" | "unreachable">;
}
