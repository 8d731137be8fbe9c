/** The git-ignored `.dev.vars`: reads it, completes it with generated development secrets. */
import { randomBytes } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseEnv } from "node:util";
import { randomBase62 } from "./random-base62.ts";

export type Variables = Record<string, string>;

/** Names that the environment may set for one start without touching the file. */
const fromEnvironment = [
  "RECEIPT_KEYS",
  "RECEIPT_ACTIVE_KID",
  "COUNTERSIGN_DEV_KEY",
  "COUNTERSIGN_ADMIN_KEY_DIGEST",
  "CHAIN_SIGNING_KEY",
];

/** 256 bits. */
function createDevKey(): string {
  return `ck_dev_${randomBase62(43)}`;
}

function createReceiptKeys(): Variables {
  const kid = `dev-${randomBytes(3).toString("hex")}`;
  return { RECEIPT_KEYS: JSON.stringify({ [kid]: randomBytes(32).toString("base64url") }), RECEIPT_ACTIVE_KID: kid };
}

/** One line of a dotenv file. The format has no escapes, so the quote must be one that the value lacks. */
function formatVariable([name, value]: [string, string]): string {
  const quote = ["'", "`", '"'].find((candidate) => !value.includes(candidate));
  if (quote === undefined || (quote === '"' && /\\[nr]/.test(value))) {
    throw new Error(`${name} has every kind of quote in it and cannot be written to a variables file`);
  }
  return `${name}=${quote}${value}${quote}\n`;
}

export function formatVariables(variables: Variables): string {
  return Object.entries(variables).map(formatVariable).join("");
}

function parseVariables(text: string): Variables {
  const found: Variables = {};
  for (const [name, value] of Object.entries(parseEnv(text))) if (value !== undefined) found[name] = value;
  return found;
}

function pick(environment: NodeJS.ProcessEnv): Variables {
  const found: Variables = {};
  for (const name of fromEnvironment) {
    const value = environment[name];
    if (value !== undefined && value !== "") found[name] = value;
  }
  return found;
}

/** What a variables file has; nothing without one. */
export function readDevVars(file: string): Variables {
  return existsSync(file) ? parseVariables(readFileSync(file, "utf8")) : {};
}

/** Variables of a development server; what neither file nor environment has is generated and kept in the file. */
export function ensureDevVars(file: string, environment: NodeJS.ProcessEnv): Variables {
  const text = existsSync(file) ? readFileSync(file, "utf8") : "";
  const stored = parseVariables(text);
  const given = pick(environment);
  const known = { ...stored, ...given };
  const generated = {
    ...(known["RECEIPT_KEYS"] ? {} : createReceiptKeys()),
    ...(known["COUNTERSIGN_DEV_KEY"] ? {} : { COUNTERSIGN_DEV_KEY: createDevKey() }),
  };
  if (Object.keys(generated).length > 0) {
    const separator = text === "" || text.endsWith("\n") ? "" : "\n";
    appendFileSync(file, separator + formatVariables(generated), { mode: 0o600 });
  }
  return { ...known, ...generated, COUNTERSIGN_ENV: "dev" };
}
