/** Query strings: every parameter known, given once, in its grammar. Rules: DU29, SE3. */
import type { Problem } from "../contracts/errors.ts";
import type { Fault } from "../contracts/json.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import type { ConversationQuery, ConversationStatus, UsageQuery } from "../contracts/tenant.ts";
import type { AuditQuery } from "../contracts/verbs.ts";
import { decodeCursor } from "./cursor.ts";
import { isId } from "./ids.ts";
import { omitUndefined } from "./present.ts";
import { invalidRequest, notFound } from "./problem.ts";

export type QueryPairs = Iterable<readonly [string, string]>;
export type DecodeQuery<Query> = (pairs: QueryPairs) => Result<Query, Problem>;

const defaultLimit = 100;
const maxLimit = 1000;
/** Seconds that a JSON reader may wait for the first event after its cursor. */
const maxWaitSecs = 120;

export interface EventsQuery {
  readonly turn?: string;
  /** As it came: the cursor is judged together with `Last-Event-ID`. */
  readonly after?: string;
  readonly limit: number;
  readonly waitSecs: number;
}

export const decodeNoQuery: DecodeQuery<undefined> = (pairs) => {
  const read = readPairs(pairs, []);
  return read.ok ? succeed(undefined) : read;
};

export const decodeEventsQuery: DecodeQuery<EventsQuery> = (pairs) => {
  const read = readPairs(pairs, ["turn", "after", "limit", "wait"]);
  if (!read.ok) return read;
  const turn = read.value.get("turn");
  if (turn !== undefined && !isId("turn", turn)) return failWith(notFound);
  const limit = decodeLimit(read.value.get("limit"));
  if (!limit.ok) return limit;
  const waitSecs = decodeNumber("wait", read.value.get("wait"), { least: 0, most: maxWaitSecs, usual: 0 });
  if (!waitSecs.ok) return waitSecs;
  const after = read.value.get("after");
  return succeed(omitUndefined({ turn, after, limit: limit.value, waitSecs: waitSecs.value }));
};

interface BackwardQuery {
  readonly before?: number;
  readonly limit: number;
}

/** Pages that go back in time: turns, approvals. */
export const decodeBackwardQuery: DecodeQuery<BackwardQuery> = (pairs) => {
  const read = readPairs(pairs, ["before", "limit"]);
  return read.ok ? decodeBackward(read.value) : read;
};

/** The same with the filters of a list of conversations. */
export const decodeConversationsQuery: DecodeQuery<ConversationQuery> = (pairs) => {
  const read = readPairs(pairs, ["before", "limit", "agent", "status"]);
  if (!read.ok) return read;
  const page = decodeBackward(read.value);
  if (!page.ok) return page;
  const status = read.value.get("status");
  const known = statuses.find((one) => one === status);
  if (status !== undefined && known === undefined) {
    return failWith(invalidRequest([{ path: "status", message: `one of ${statuses.join(", ")}` }]));
  }
  return succeed({ ...page.value, ...omitUndefined({ agent: read.value.get("agent"), status: known }) });
};

const statuses = ["idle", "queued", "running", "suspended"] as const satisfies readonly ConversationStatus[];

/** UTC days, both included. */
export const decodeUsageQuery: DecodeQuery<UsageQuery> = (pairs) => {
  const read = readPairs(pairs, ["from", "to"]);
  if (!read.ok) return read;
  const faults = [...read.value].flatMap(([path, day]) =>
    dayPattern.test(day) ? [] : [{ path, message: "a day is YYYY-MM-DD" }],
  );
  if (faults.length > 0) return failWith(invalidRequest(faults));
  return succeed(omitUndefined({ from: read.value.get("from"), to: read.value.get("to") }));
};

const dayPattern = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;

function decodeBackward(values: ReadonlyMap<string, string>): Result<BackwardQuery, Problem> {
  const limit = decodeLimit(values.get("limit"));
  if (!limit.ok) return limit;
  const text = values.get("before");
  if (text === undefined) return succeed({ limit: limit.value });
  const before = decodeCursor(text);
  if (before === undefined) return failWith(invalidRequest([{ path: "before", message: "not a page cursor" }]));
  return succeed({ before, limit: limit.value });
}

export const decodeReceiptsQuery: DecodeQuery<{ readonly after: number; readonly limit: number }> = (pairs) => {
  const read = readPairs(pairs, ["after", "limit"]);
  if (!read.ok) return read;
  const limit = decodeLimit(read.value.get("limit"));
  if (!limit.ok) return limit;
  const after = decodeCursor(read.value.get("after") ?? "0");
  if (after === undefined) return failWith(invalidRequest([{ path: "after", message: "not a page cursor" }]));
  return succeed({ after, limit: limit.value });
};

export const decodeAuditQuery: DecodeQuery<AuditQuery & { readonly export: boolean }> = (pairs) => {
  const read = readPairs(pairs, ["after", "limit", "verify", "export"]);
  if (!read.ok) return read;
  const limit = decodeLimit(read.value.get("limit"));
  if (!limit.ok) return limit;
  const after = decodeCursor(read.value.get("after") ?? "0");
  if (after === undefined) return failWith(invalidRequest([{ path: "after", message: "not a page cursor" }]));
  const faults = ["verify", "export"].flatMap((path) =>
    ["0", "1"].includes(read.value.get(path) ?? "0") ? [] : [{ path, message: "1, or left out" }],
  );
  if (faults.length > 0) return failWith(invalidRequest(faults));
  const isAsked = (path: string): boolean => read.value.get(path) === "1";
  return succeed({ after, limit: limit.value, verify: isAsked("verify"), export: isAsked("export") });
};

export const decodeToolsQuery: DecodeQuery<{ readonly agent?: string }> = (pairs) => {
  const read = readPairs(pairs, ["agent"]);
  return read.ok ? succeed(omitUndefined({ agent: read.value.get("agent") })) : read;
};

function readPairs(pairs: QueryPairs, known: readonly string[]): Result<ReadonlyMap<string, string>, Problem> {
  const values = new Map<string, string>();
  const faults: Fault[] = [];
  for (const [name, value] of pairs) {
    if (!known.includes(name)) faults.push({ path: name, message: "unknown parameter" });
    else if (values.has(name)) faults.push({ path: name, message: "given more than once" });
    else values.set(name, value);
  }
  return faults.length === 0 ? succeed(values) : failWith(invalidRequest(faults));
}

const decodeLimit = (text: string | undefined): Result<number, Problem> =>
  decodeNumber("limit", text, { least: 1, most: maxLimit, usual: defaultLimit });

function decodeNumber(
  path: string,
  text: string | undefined,
  range: { readonly least: number; readonly most: number; readonly usual: number },
): Result<number, Problem> {
  if (text === undefined) return succeed(range.usual);
  const value = /^(?:0|[1-9][0-9]{0,5})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.least && value <= range.most) return succeed(value);
  return failWith(invalidRequest([{ path, message: `a whole number from ${range.least} to ${range.most}` }]));
}
