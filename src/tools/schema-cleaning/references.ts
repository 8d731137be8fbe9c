/** Definitions: what a local reference of a schema stands for. Rules: SC12. */
import { type JsonObject, type JsonValue, isObject } from "../../contracts/json.ts";

const LOCAL = /^#\/(?:\$defs|definitions)\/([^/]+)$/;

/** The tables of the root alone count; `definitions` wins over `$defs`. */
export class Definitions {
  readonly #byName: ReadonlyMap<string, JsonValue>;

  constructor(root: JsonObject) {
    const tables = [root["$defs"], root["definitions"]];
    this.#byName = new Map(tables.flatMap((table) => (isObject(table) ? Object.entries(table) : [])));
  }

  /** Name of the definition that a reference points to; `undefined` for any other reference. */
  nameOf(reference: string): string | undefined {
    const name = LOCAL.exec(reference)?.[1]?.replaceAll("~1", "/").replaceAll("~0", "~");
    return name !== undefined && this.#byName.has(name) ? name : undefined;
  }

  get(name: string): JsonValue | undefined {
    return this.#byName.get(name);
  }
}
