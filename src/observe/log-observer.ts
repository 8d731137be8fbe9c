/** LogObserver: observer records as log lines – ids, enums and numbers, never content. Rules: EV11, SE73. */
import type { JsonObject, JsonValue } from "../contracts/json.ts";
import type { Observer, ObserverRecord } from "../contracts/observer.ts";
import type { LogPort } from "../contracts/ports.ts";

/** One line per record at level `debug`; its code is `observed_` and the record's type. */
export function createLogObserver(log: LogPort): Observer {
  return (record) => {
    log("debug", `observed_${record.type}`, fieldsOf(record));
  };
}

const CONTENT: ReadonlySet<string> = new Set(["type", "arguments", "result"]);

function fieldsOf(record: ObserverRecord): JsonObject {
  const fields: readonly (readonly [string, unknown])[] = Object.entries(record);
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (CONTENT.has(name) || !isPlain(value) ? [] : [[name, value] as const])),
  );
}

/** Ids, enums, counts; of records only `usage` has more, and that is on the turn's events. */
const isPlain = (value: unknown): value is Exclude<JsonValue, object> =>
  value === null || typeof value === "string" || typeof value === "number" || typeof value === "boolean";
