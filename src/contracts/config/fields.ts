/** Building blocks of the config file's schema: sections, user-named maps, lists, names, patterns. Rules: CF2, CF3, CF5, RX11. */
import { z } from "zod";
import { camelKeys } from "./camel-keys.ts";

/** An object whose keys are ours: unknown ones are refused, known ones come out in camelCase. */
export const section = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject(shape).transform((settings) => camelKeys(settings));

/** An object whose keys are the user's: they come out as they stand, in file order. */
export const userMap = <Value extends z.ZodType>(name: z.ZodType<string, string>, value: Value) =>
  z
    .record(name, value)
    .transform((entries): ReadonlyMap<string, z.output<Value>> => new Map(Object.entries<z.output<Value>>(entries)));

export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).readonly();

/** Whole numbers; without a maximum only the safe integers bound them. */
export const whole = (least: number, most?: number) => {
  const schema = z.int().min(least);
  return most === undefined ? schema : schema.max(most);
};

/** A lone surrogate in configuration would break signing later (RX11). */
export const text = z.string().overwrite((value) => value.toWellFormed());
export const filledText = text.regex(/\S/, { error: "must not be blank" });

export const alias = z.string().regex(/^[A-Za-z][A-Za-z0-9_-]{0,63}$/, {
  error: "a name here is a letter, then at most 63 letters, digits, `_` and `-`",
});

export const toolName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,127}$/, {
  error: "a tool's name is a letter, then at most 127 letters, digits, `_`, `.` and `-`",
});

export const toolDescription = text.refine((value) => value.trim() !== "" && Array.from(value).length <= 4096, {
  error: "must have 1 to 4096 characters, not all of them blank",
});

/** An exact name, a lone `*`, or a name with one `*` in it. */
export const namePattern = z.string().regex(/^(?=.*\S)[^*]*\*?[^*]*$/s, {
  error: "a pattern is a name with at most one `*`, and is not empty",
});
export const patterns = listOf(namePattern);

export const bindingName = z.string().regex(/^[A-Za-z_][A-Za-z0-9_]{0,127}$/, {
  error: "must be the name of a binding: letters, digits and `_`",
});

export const tenant = z.string().regex(/^[a-z0-9][a-z0-9-]{0,31}$/, {
  error: "a tenant is 1 to 32 lower-case letters, digits and `-`, and does not begin with `-`",
});

/** Only the form; where it may lead is for the egress guard to say. */
export const webUrl = z.string().regex(/^https?:\/\/[^\s/?#]+\S*$/i, {
  error: "must be a URL that begins with https:// (or http://)",
});

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, { error: "is no name of a header" });
const headerValue = z
  .string()
  .regex(/^[\x20-\x7e\t]*$/, { error: "a header's value is printable ASCII on one line" })
  .regex(/^(?:[^$]|\$(?!\{)|\$\{secret:[A-Za-z_][A-Za-z0-9_]*\})*$/, {
    error: "a secret in a header is written ${secret:NAME}",
  });
export const headers = userMap(headerName, headerValue);

const jsonObject = z.record(z.string(), z.json());
export const objectSchema = jsonObject.refine((schema) => schema["type"] === "object", {
  error: 'must be a JSON Schema with type: "object"',
});
