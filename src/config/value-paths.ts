/** Places in a config file: how they are written, what lies at them. Rules: CF2. */
import { isObject } from "../contracts/json.ts";

export type PathPart = string | number;
export interface Place {
  readonly path: readonly PathPart[];
  readonly value: unknown;
}

const plainKey = /^[A-Za-z_][\w-]*$/;

/** `agents.clerk.tool_bundles[0]`; a key that dots would tear apart is quoted: `models["gpt-4.1"]`. */
export function formatPath(path: readonly PathPart[]): string {
  return path.reduce<string>((written, part) => {
    if (typeof part === "number") return `${written}[${part}]`;
    if (!plainKey.test(part)) return `${written}[${JSON.stringify(part)}]`;
    return written === "" ? part : `${written}.${part}`;
  }, "");
}

/** Own members of plain objects and items of arrays; other values (functions, dates, tools of classes) have none. */
export function membersOf({ path, value }: Place): readonly Place[] {
  if (Array.isArray(value)) return value.map((item: unknown, index) => ({ path: [...path, index], value: item }));
  if (!isObject(value)) return [];
  return Object.entries(value).map(([key, member]) => ({ path: [...path, key], value: member }));
}

/**
 * Everything at places of one form, where `*` is any key or index: `agents.*.tool_bundles.*`.
 * It reads the file as it was written, so that checks go on beside faults of type (all faults at once).
 */
export function selectPlaces(file: unknown, form: string): readonly Place[] {
  return form
    .split(".")
    .reduce<readonly Place[]>(
      (places, step) =>
        places.flatMap((place) => membersOf(place).filter(({ path }) => step === "*" || path.at(-1) === step)),
      [{ path: [], value: file }],
    );
}

/** The same for texts alone: a value of another type is the schema's to refuse. */
export function selectTexts(file: unknown, form: string): readonly { path: readonly PathPart[]; value: string }[] {
  return selectPlaces(file, form).flatMap(({ path, value }) => (typeof value === "string" ? [{ path, value }] : []));
}

/** Keys of a section in file order; none when it is missing or no section. */
export function namesIn(file: unknown, form: string): readonly string[] {
  return selectPlaces(file, `${form}.*`).flatMap(({ path }) => {
    const name = path.at(-1);
    return typeof name === "string" ? [name] : [];
  });
}
