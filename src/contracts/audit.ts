/** The audit chain: what its entries say, and what binds each to the one before it. Rules: AU1, AU2. */
import type { JsonObject, JsonValue } from "./json.ts";

/**
 * `disposition`: how a call ended; its subject is the call. `receipt`: what was signed for it. `decision`: how an approval ended;
 * its subject is the approval. `cancel`: a turn was asked to end; its subject is the turn. `policy`: what may run has changed;
 * its subject is the approval that changed it.
 */
export const auditKinds = ["disposition", "receipt", "decision", "cancel", "policy"] as const;
export type AuditKind = (typeof auditKinds)[number];

export interface AuditFact {
  readonly kind: AuditKind;
  /** An id that was minted here. */
  readonly subject: string;
  /** Its member names are hashed, so they are the wire's and are never translated. */
  readonly data: JsonObject;
}

/** What is hashed: everything an entry says. */
export interface AuditRow extends AuditFact {
  /** Dense, from 1. */
  readonly seq: number;
  /** Epoch milliseconds. */
  readonly at: number;
  /** Hash of the entry before, of the first one the chain's origin. */
  readonly prev: string;
}

export interface AuditEntry extends AuditRow {
  /** Lower-case hex SHA-256 of the row's canonical JSON. */
  readonly hash: string;
}

/** What storage needs to append: where the chain of its conversation begins, and how a JSON value is digested. */
export interface AuditHasher {
  readonly origin: string;
  readonly digest: (value: JsonValue) => string;
}

/** The first entry that does not hold, and what of it does not. */
export interface AuditBreak {
  readonly seq: number;
  /** `order`: a number is missing or out of place. `prev`: it follows on another entry. `hash`: it says something else than was hashed. */
  readonly reason: "order" | "prev" | "hash";
}

export interface AuditHead {
  readonly seq: number;
  readonly hash: string;
}

/** What walking a whole chain came to. `announced`: an end of a turn named a head that the chain does not have (any more). */
export type AuditVerdict =
  | { readonly verdict: "valid"; readonly entries: number }
  | { readonly verdict: "broken"; readonly seq: number; readonly reason: AuditBreak["reason"] | "announced" };

/** What is kept of a conversation that was erased: where its chain ended, and how much there was (AU3). */
export interface FinalRecord {
  readonly hash: string;
  readonly entries: number;
  readonly receipts: number;
  readonly turns: number;
}
