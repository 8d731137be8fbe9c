/** The tables of a conversation object, as the migrations make them. Rules: DU2, DU48. */

/** Verbatim in the partial index and in the queries that are to use it: SQLite compares the terms as text. */
export const openTurnTerm = "state IN ('queued', 'running', 'suspended')";

/**
 * TEXT is for ids that were minted here and for enums. What a model, a caller or a tool wrote lies in blobs.
 * Keys are INTEGER PRIMARY KEY or WITHOUT ROWID, so that a row is one row written. The further indices are: turns by id,
 * open turns (never more than the queue holds), receipts by token, approvals by id. What is asked of somebody outside is found by
 * its deadline; deadlines are so few at a time that the next one is found without an index.
 */
export const firstSchema: readonly string[] = [
  `CREATE TABLE IF NOT EXISTS meta (k TEXT PRIMARY KEY, v BLOB) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS turns (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, state TEXT NOT NULL, reason TEXT, entry TEXT NOT NULL,
    attempt INTEGER NOT NULL, accepted_ms INTEGER NOT NULL, finished_ms INTEGER, cancel_ms INTEGER, cancel_reason TEXT,
    first_seq INTEGER NOT NULL, last_seq INTEGER, tries INTEGER NOT NULL DEFAULT 0, tried_ms INTEGER, tried_seq INTEGER,
    request BLOB, summary BLOB)`,
  `CREATE INDEX IF NOT EXISTS open_turns ON turns (n) WHERE ${openTurnTerm}`,
  `CREATE TABLE IF NOT EXISTS frames (
    turn INTEGER NOT NULL, frame TEXT NOT NULL, ended INTEGER NOT NULL, record BLOB, outcome BLOB,
    PRIMARY KEY (turn, frame)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS steps (
    turn INTEGER NOT NULL, frame TEXT NOT NULL, step INTEGER NOT NULL, state TEXT NOT NULL, attempt INTEGER NOT NULL,
    opened_seq INTEGER NOT NULL, response BLOB, usage BLOB, saved INTEGER NOT NULL, checkpoint BLOB,
    PRIMARY KEY (turn, frame, step)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS messages (
    frame TEXT NOT NULL, turn INTEGER NOT NULL, seq INTEGER NOT NULL, size INTEGER NOT NULL, call_id TEXT, body BLOB,
    PRIMARY KEY (frame, turn, seq)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS calls (
    call_id TEXT PRIMARY KEY, turn INTEGER NOT NULL, frame TEXT NOT NULL, step INTEGER NOT NULL, state TEXT NOT NULL,
    request BLOB, tool BLOB, definition_hash TEXT, args BLOB, args_digest TEXT, requirement TEXT, approval_id TEXT,
    idempotency_key TEXT, attempt INTEGER, started_ms INTEGER, expires_ms INTEGER, settled_ms INTEGER,
    tool_origin TEXT, disposition TEXT, shown BLOB, outcome BLOB, receipt INTEGER,
    result_bytes INTEGER, result_complete INTEGER, result_chars INTEGER, result_digest TEXT) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS approvals (
    n INTEGER PRIMARY KEY, approval_id TEXT NOT NULL UNIQUE, turn INTEGER NOT NULL, call_id TEXT NOT NULL,
    tool_def TEXT NOT NULL, args_digest TEXT NOT NULL, expires_ms INTEGER NOT NULL, state TEXT NOT NULL,
    version INTEGER NOT NULL, request BLOB, decision BLOB)`,
  `CREATE TABLE IF NOT EXISTS deadlines (
    kind TEXT NOT NULL, ref TEXT NOT NULL, at_ms INTEGER NOT NULL, tries INTEGER NOT NULL, parked INTEGER NOT NULL,
    PRIMARY KEY (kind, ref)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS allowlist (
    agent TEXT NOT NULL, tool BLOB NOT NULL, tool_def TEXT NOT NULL, approval_id TEXT NOT NULL,
    PRIMARY KEY (agent, tool, tool_def)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS charges (
    reservation TEXT PRIMARY KEY, turn INTEGER NOT NULL, agent TEXT NOT NULL, estimate REAL NOT NULL,
    state TEXT NOT NULL, cost REAL) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS steering (n INTEGER PRIMARY KEY, turn INTEGER NOT NULL, at_ms INTEGER NOT NULL, body BLOB)`,
  `CREATE TABLE IF NOT EXISTS results (
    owner TEXT NOT NULL, chunk INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, chunk)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS overflow (
    owner TEXT NOT NULL, chunk INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (owner, chunk)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS scopes (
    id TEXT PRIMARY KEY, salt BLOB NOT NULL, seq INTEGER NOT NULL, token TEXT) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS receipts (
    n INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, scope TEXT NOT NULL, turn INTEGER NOT NULL,
    call_id TEXT NOT NULL, body BLOB)`,
  `CREATE TABLE IF NOT EXISTS audit (
    seq INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, kind TEXT NOT NULL, subject TEXT NOT NULL, data BLOB,
    prev TEXT NOT NULL, hash TEXT NOT NULL)`,
  `CREATE TABLE IF NOT EXISTS events (
    seq INTEGER PRIMARY KEY, turn INTEGER NOT NULL, type TEXT NOT NULL, version INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    size INTEGER NOT NULL, body BLOB)`,
  `CREATE TABLE IF NOT EXISTS idem (
    principal TEXT NOT NULL, key TEXT NOT NULL, fingerprint TEXT NOT NULL, turn INTEGER NOT NULL, at_ms INTEGER NOT NULL,
    PRIMARY KEY (principal, key)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS activated (
    pos INTEGER PRIMARY KEY, agent TEXT NOT NULL, frame TEXT NOT NULL, tool BLOB NOT NULL, tool_def TEXT NOT NULL,
    turn INTEGER NOT NULL, UNIQUE (agent, frame, tool))`,
  `CREATE TABLE IF NOT EXISTS memories (n INTEGER PRIMARY KEY, agent TEXT NOT NULL, k BLOB, body BLOB)`,
  `CREATE TABLE IF NOT EXISTS mcp_servers (
    server TEXT PRIMARY KEY, read_ms INTEGER NOT NULL, stale INTEGER NOT NULL, link BLOB, catalogue BLOB) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS barred (
    provider TEXT NOT NULL, tool_def TEXT NOT NULL, PRIMARY KEY (provider, tool_def)) WITHOUT ROWID`,
];
