/** readListing: a server's entries judged one by one; what cannot be used is kept out with its reason, and keeps nobody else out. Rules: TS17, TS19, MC4, MC6, MW5, SE30. */
import { type JsonObject, isObject } from "../../contracts/json.ts";
import type { ListedTool, McpCatalogue, QuarantinedTool } from "../../contracts/mcp.ts";
import { type Result, failWith, succeed } from "../../contracts/result.ts";
import { digestJson } from "../../receipts/digest.ts";
import { findForeignFault } from "../schema/foreign-schema.ts";
import { readInput, readOutput } from "../schema/input-reader.ts";

const MOST_NAME_CHARS = 128;
const MOST_CATALOGUE_CHARS = 4 * 1024 * 1024;
const SHOWN_NAME_CHARS = 80;

export const realName = (server: string, tool: string): string => `${server}__${tool}`;

export function readListing(server: string, entries: readonly unknown[]): McpCatalogue {
  const tools = new Map<string, ListedTool>();
  const quarantined: QuarantinedTool[] = [];
  let size = 0;
  for (const entry of entries) {
    const read = readEntry(server, entry);
    const reason = read.ok ? undefined : read.failure;
    if (read.ok && tools.has(read.value.name)) quarantined.push({ name: read.value.name, reason: "name_collision" });
    else if (read.ok && (size += JSON.stringify(read.value).length) <= MOST_CATALOGUE_CHARS)
      tools.set(read.value.name, read.value);
    else quarantined.push({ name: shownName(entry), reason: reason ?? "catalogue_too_large" });
  }
  return { tools: [...tools.values()], quarantined };
}

function readEntry(server: string, entry: unknown): Result<ListedTool, string> {
  try {
    return readDefinition(server, entry);
  } catch {
    // Too deep to be walked, or with text that has no canonical form.
    return failWith("unreadable");
  }
}

function readDefinition(server: string, entry: unknown): Result<ListedTool, string> {
  if (!isObject(entry)) return failWith("no_object");
  const { name, title, description = "", inputSchema, outputSchema, annotations, execution } = entry;
  if (typeof name !== "string" || !isName(realName(server, name), name)) return failWith("name");
  if (typeof description !== "string" || (title !== undefined && typeof title !== "string")) return failWith("text");
  if (isObject(execution) && execution["taskSupport"] === "required") return failWith("needs_tasks");
  if (!isObject(inputSchema)) return failWith("input_schema");
  // Both came in JSON.
  const input = readInput(inputSchema as JsonObject);
  if (!input.ok) return failWith("input_schema");
  const fault = findForeignFault(input.value.schema);
  if (fault !== undefined) return failWith(`input_schema_${fault}`);
  const output = outputSchema === undefined ? undefined : readOutputSchema(outputSchema);
  if (output?.ok === false) return output;
  const members = {
    name,
    ...("description" in entry ? { description } : {}),
    ...(title === undefined ? {} : { title }),
    inputSchema: input.value.schema,
    ...(output === undefined ? {} : { outputSchema: output.value }),
    ...(isObject(annotations) ? { annotations: annotations as JsonObject } : {}),
  };
  return succeed({ ...members, description, hash: digestJson(members) });
}

function readOutputSchema(given: unknown): Result<JsonObject, string> {
  const read = isObject(given) ? readOutput(given as JsonObject) : undefined;
  if (read?.ok !== true) return failWith("output_schema");
  const { schema } = read.value;
  const fault = findForeignFault(schema);
  return fault === undefined ? succeed(schema) : failWith(`output_schema_${fault}`);
}

/** As the server gives it, whatever it is made of, as long as it can be told and shown. */
const isName = (real: string, own: string): boolean =>
  own.trim() !== "" && real.isWellFormed() && Array.from(real).length <= MOST_NAME_CHARS && !/\p{Cc}/u.test(real);

function shownName(entry: unknown): string {
  const name = isObject(entry) ? entry["name"] : undefined;
  return typeof name === "string" ? name.toWellFormed().slice(0, SHOWN_NAME_CHARS) : "";
}
