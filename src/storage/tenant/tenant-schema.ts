/** The tables of a tenant object, as numbered migrations. Rules: DU2, DU43, DU48. */

/** Verbatim in partial indices and in the queries that are to use them: SQLite compares the terms as text. */
export const openTurnsTerm = "state <> 'ended'";
export const openInboxTerm = "state = 'pending'";
export const openStatusTerm = "status <> 'idle'";
export const settledTerm = "state = 'settled'";
/** A deadline that has failed so often waits no longer (DU25). */
export const liveDeadlineTerm = "tries < 8";

/**
 * Money is whole nano-dollars, so that sums balance exactly. `closed_ms` says since when a row is only kept to recognise what comes
 * again; days are `YYYY-MM-DD` in UTC, which sorts like time.
 */
const firstTenantSchema: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS meta (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS conversations (
    n INTEGER PRIMARY KEY, conversation TEXT NOT NULL UNIQUE, agent TEXT NOT NULL, status TEXT NOT NULL,
    created_ms INTEGER NOT NULL, active_ms INTEGER NOT NULL, heard INTEGER NOT NULL DEFAULT 0)`,
  `CREATE INDEX IF NOT EXISTS conversations_of_agent ON conversations (agent, n)`,
  `CREATE INDEX IF NOT EXISTS busy_conversations ON conversations (n) WHERE ${openStatusTerm}`,
  `CREATE TABLE IF NOT EXISTS tombstones (
    conversation TEXT PRIMARY KEY, at_ms INTEGER NOT NULL, head_hash TEXT, entries INTEGER, receipts INTEGER,
    turns INTEGER) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS turns (
    conversation TEXT NOT NULL, turn TEXT NOT NULL, state TEXT NOT NULL, seq INTEGER NOT NULL, closed_ms INTEGER,
    PRIMARY KEY (conversation, turn)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS open_turns ON turns (state, conversation) WHERE ${openTurnsTerm}`,
  `CREATE INDEX IF NOT EXISTS closed_turns ON turns (closed_ms) WHERE state = 'ended'`,
  `CREATE TABLE IF NOT EXISTS approvals (
    n INTEGER PRIMARY KEY, conversation TEXT NOT NULL, approval_id TEXT NOT NULL, state TEXT NOT NULL, seq INTEGER NOT NULL,
    expires_ms INTEGER, closed_ms INTEGER, body BLOB, UNIQUE (conversation, approval_id))`,
  `CREATE INDEX IF NOT EXISTS open_inbox ON approvals (n) WHERE ${openInboxTerm}`,
  `CREATE INDEX IF NOT EXISTS closed_inbox ON approvals (closed_ms) WHERE closed_ms IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS reservations (
    conversation TEXT NOT NULL, id TEXT NOT NULL, day TEXT NOT NULL, amount INTEGER NOT NULL, state TEXT NOT NULL,
    closed_ms INTEGER, PRIMARY KEY (conversation, id)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS settled_reservations ON reservations (closed_ms) WHERE ${settledTerm}`,
  `CREATE TABLE IF NOT EXISTS budget (
    day TEXT PRIMARY KEY, reserved INTEGER NOT NULL, committed INTEGER NOT NULL, released INTEGER NOT NULL,
    lapsed INTEGER NOT NULL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS usage (
    day TEXT NOT NULL, agent TEXT NOT NULL, turns INTEGER NOT NULL, input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL, cached_tokens INTEGER NOT NULL, reasoning_tokens INTEGER NOT NULL, cost INTEGER NOT NULL,
    PRIMARY KEY (day, agent)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS minute (id INTEGER PRIMARY KEY, start_ms INTEGER NOT NULL, turns INTEGER NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS deadlines (
    kind TEXT NOT NULL, ref TEXT NOT NULL, at_ms INTEGER NOT NULL, tries INTEGER NOT NULL, PRIMARY KEY (kind, ref)) WITHOUT ROWID`,
  `CREATE INDEX IF NOT EXISTS live_deadlines ON deadlines (at_ms) WHERE ${liveDeadlineTerm}`,
];

/** Step n is at index n - 1. Steps are only ever added, and only ever add. */
export const tenantMigrations: readonly (readonly string[])[] = [firstTenantSchema];
