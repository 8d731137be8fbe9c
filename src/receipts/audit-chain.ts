/** Audit chain: where a conversation's chain begins, how an entry is hashed, how a chain is walked. Rules: AU1, AU2, G15. */
import type { AuditBreak, AuditEntry, AuditHasher, AuditHead, AuditRow } from "../contracts/audit.ts";
import { digestJson } from "./digest.ts";

export interface AuditOwner {
  readonly tenant: string;
  readonly conversation: string;
}

/** Names its owner, so that no chain, not even an empty one, passes for another conversation's. */
export const auditOrigin = ({ tenant, conversation }: AuditOwner): string =>
  digestJson({ v: "countersign/audit/v1", tenant, conversation });

export const createAuditHasher = (owner: AuditOwner): AuditHasher => ({
  origin: auditOrigin(owner),
  digest: digestJson,
});

/** Members are named one by one, so whatever else an entry carries stays out. */
export const hashAuditRow = ({ seq, at, kind, subject, data, prev }: AuditRow): string =>
  digestJson({ seq, at, kind, subject, data, prev });

/** Walks a chain from where it stands; give it the entries in order. */
export interface AuditWalk {
  readonly head: AuditHead;
  /** What is wrong with the entry, if anything; the walk then stays where it was. */
  step(entry: AuditEntry): AuditBreak | undefined;
}

export function startAuditWalk(from: AuditHead): AuditWalk {
  let head = from;
  return {
    get head() {
      return head;
    },
    step(entry) {
      const { seq, prev, hash } = entry;
      if (seq !== head.seq + 1) return { seq: head.seq + 1, reason: "order" };
      if (prev !== head.hash) return { seq, reason: "prev" };
      if (hashOrNothing(entry) !== hash) return { seq, reason: "hash" };
      head = { seq, hash };
      return undefined;
    },
  };
}

/** What has no canonical form was never hashed. */
function hashOrNothing(row: AuditRow): string | undefined {
  try {
    return hashAuditRow(row);
  } catch {
    return undefined;
  }
}
