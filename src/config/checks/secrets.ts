/** Secrets are named, never written down, and their names lead to bindings. Rules: CF5, SE67, SE69. */
import { type CredentialShape, credentialShapes } from "../../contracts/credential-shapes.ts";
import { isCodeTool } from "../../contracts/config/tools.ts";
import { type CheckedFile, createFault, createWarning, type Finding } from "../finding.ts";
import { formatPath, membersOf, type PathPart, type Place, selectTexts } from "../value-paths.ts";

interface FoundText {
  readonly path: readonly PathPart[];
  readonly value: string;
}

/** Keys whose value is the name of a secret; a list of names counts name by name. */
const secretNames = [
  "providers.*.api_key",
  "mcp.servers.*.auth.client_secret",
  "hooks.*.secret",
  "hooks.*.secret.*",
  "tools.*.secrets.*",
];

/** Headers are the only texts that may hold `${secret:NAME}`. */
const headerValues = [
  "providers.*.headers.*",
  "mcp.servers.*.headers.*",
  "tools.*.headers.*",
  "observability.otlp_headers.*",
];
const secretReference = /\$\{secret:([^}]*)\}/g;
const authorizing = /^(?:authorization|proxy-authorization|cookie|set-cookie|x-api-key|api-key|x-auth-token)$/i;

/** Every text of the file; code (tools, hooks) is opaque, and a value met twice on the way down is read once. */
function textsOf(place: Place, above: readonly unknown[] = []): readonly FoundText[] {
  const { path, value } = place;
  if (typeof value === "string") return [{ path, value }];
  if (isCodeTool(value) || above.includes(value)) return [];
  return membersOf(place).flatMap((member) => textsOf(member, [...above, value]));
}

function shapeOf({ value }: FoundText): CredentialShape | undefined {
  return credentialShapes.find(({ pattern }) => pattern.test(value));
}

function checkShape(text: FoundText): readonly Finding[] {
  const shape = shapeOf(text);
  if (shape === undefined) return [];
  return [createFault(text.path, `looks like ${shape.what}; bind it as a secret and write the secret's name here`)];
}

/** A header that lets somebody in, with its value written out in whatever shape. */
function checkHeader(header: FoundText): readonly Finding[] {
  const writtenOut = authorizing.test(String(header.path.at(-1))) && !header.value.includes("${secret:");
  if (!writtenOut || shapeOf(header) !== undefined) return [];
  return [createFault(header.path, "is a credential; bind it as a secret and write ${secret:NAME} for it")];
}

function checkPlace(text: FoundText, headerPaths: ReadonlySet<string>): readonly Finding[] {
  if (!text.value.includes("${secret:") || headerPaths.has(formatPath(text.path))) return [];
  return [createFault(text.path, "${secret:NAME} may stand in headers only")];
}

function secretsInHeader({ path, value }: FoundText): readonly FoundText[] {
  return Array.from(value.matchAll(secretReference), ([, name = ""]) => ({ path, value: name }));
}

/** A name that is a credential itself is a fault already; telling that it is not bound would repeat it. */
function checkBound(found: FoundText, boundSecrets: ReadonlySet<string>): readonly Finding[] {
  const known = boundSecrets.has(found.value) || !/^[A-Za-z_]\w*$/.test(found.value) || shapeOf(found) !== undefined;
  return known ? [] : [createWarning(found.path, `the secret ${found.value} is not bound; what uses it will fail`)];
}

export function checkSecrets({ file, environment }: CheckedFile): readonly Finding[] {
  const texts = textsOf({ path: [], value: file });
  const headers = headerValues.flatMap((form) => selectTexts(file, form));
  const headerPaths = new Set(headers.map(({ path }) => formatPath(path)));
  const named = [...secretNames.flatMap((form) => selectTexts(file, form)), ...headers.flatMap(secretsInHeader)];
  return [
    ...texts.flatMap(checkShape),
    ...headers.flatMap(checkHeader),
    ...texts.flatMap((text) => checkPlace(text, headerPaths)),
    ...named.flatMap((found) => checkBound(found, environment.boundSecrets)),
  ];
}
