/** createTool: from a declaration and the origin it came by to the frozen Tool that the runtime knows. Rules: TC1, TC4, TC9, TS17, SE44. */
import { type Fault, type JsonObject, type JsonValue, isObject } from "../contracts/json.ts";
import { type Result, failWith, succeed } from "../contracts/result.ts";
import type { Tool, ToolDefinition, ToolOrigin } from "../contracts/tool.ts";
import { digestJson } from "../receipts/digest.ts";
import { findDeclarationFaults } from "./declaration-faults.ts";
import { EgressRefusal } from "./egress-refusal.ts";
import { once } from "./once.ts";
import { type InputReader, type OutputReader, readInput, readOutput } from "./schema/input-reader.ts";
import type { AnyToolDeclaration } from "./tool-declaration.ts";
import { fail } from "./tool-result.ts";

/** A tool with what is wrong with its declaration; with faults it takes no arguments and never runs. */
export type DefinedTool = Tool & { readonly faults: readonly Fault[] };

const APPROVAL_MARKED: ReadonlySet<string> = new Set(["shell", "schedule", "cron_add", "cron_update", "cron_run"]);

const NOTHING: AnyToolDeclaration = { name: "", description: "", input: { type: "object" }, execute: () => "" };

/** Nothing is converted, checked or hashed before somebody asks: a module of many tools is imported for free. */
export function createTool(declaration: AnyToolDeclaration, origin: ToolOrigin): DefinedTool {
  // The author of a config file may have written anything, whatever the types say.
  const given = isObject(declaration) ? declaration : NOTHING;
  const reading = once(() => readDeclaration(given, findDeclarationFaults(declaration, origin)));
  const { name, risk = "medium", timeoutSecs, needsApproval, secrets = [] } = given;
  return Object.freeze({
    get definition() {
      return reading().definition;
    },
    get definitionHash() {
      return reading().definitionHash;
    },
    get faults() {
      return reading().faults;
    },
    origin,
    provenance: given.provenance ?? "extension",
    risk,
    readOnly: given.readOnly ?? false,
    idempotent: given.idempotent ?? false,
    repeatGuard: given.repeatGuard ?? (name === "shell" || risk === "high"),
    reEntrant: given.reEntrant ?? name === "delegate",
    approvalMarker: given.approvalMarker ?? APPROVAL_MARKED.has(name),
    client: origin === "client",
    secrets: Object.freeze(Array.isArray(secrets) ? Array.from<string>(secrets) : []),
    ...(timeoutSecs === undefined ? {} : { timeoutSecs }),
    ...(needsApproval === undefined ? {} : { needsApproval: predicateOf(needsApproval) }),
    checkArguments: (args: JsonObject) => reading().check(args),
    ...(given.output === undefined ? {} : { fitsOutput: (data: JsonValue) => reading().fits(data) }),
    // `args` is what the declaration's own schema made of the arguments, which is the type it was declared with.
    execute: async (args, context) => {
      try {
        return await given.execute(args as never, context);
      } catch (error) {
        if (error instanceof EgressRefusal) return fail(error.message);
        throw error;
      }
    },
  } satisfies DefinedTool);
}

function predicateOf(declared: NonNullable<AnyToolDeclaration["needsApproval"]>): NonNullable<Tool["needsApproval"]> {
  return declared === true ? () => true : (args) => declared(args as never);
}

interface Reading {
  readonly definition: ToolDefinition;
  readonly definitionHash: string;
  readonly faults: readonly Fault[];
  readonly check: InputReader["check"];
  readonly fits: OutputReader["fits"];
}

function readDeclaration(declaration: AnyToolDeclaration, found: readonly Fault[]): Reading {
  const faults = [...found];
  const { input, output } = declaration;
  const reader = readPart("input", faults, () => readInput(input));
  const outputReader = output === undefined ? undefined : readPart("output", faults, () => readOutput(output));
  const definition: ToolDefinition = Object.freeze({
    name: declaration.name,
    ...(declaration.title === undefined ? {} : { title: declaration.title }),
    description: declaration.description,
    inputSchema: reader?.schema ?? Object.freeze({ type: "object" }),
    ...(outputReader === undefined ? {} : { outputSchema: outputReader.schema }),
  });
  const fits = outputReader?.fits ?? (() => true);
  const definitionHash = readPart("", faults, () => succeed(hashDefinition(definition)));
  if (reader === undefined || definitionHash === undefined)
    return { definition, definitionHash: "", faults, check: () => failWith(faults), fits };
  return { definition, definitionHash, faults, check: reader.check, fits };
}

/** Reads a part unless it (or, under `""`, anything) is known to be wrong. It may throw: on a type without a JSON Schema, on text without a canonical form. */
function readPart<Value>(key: string, faults: Fault[], read: () => Result<Value, readonly Fault[]>): Value | undefined {
  if (faults.some(({ path }) => key === "" || path === key)) return undefined;
  try {
    const result = read();
    if (result.ok) return result.value;
    faults.push(
      ...result.failure.map(({ path, message }) => ({ path: path === "" ? key : `${key}.${path}`, message })),
    );
  } catch (error) {
    faults.push({ path: key, message: error instanceof Error ? error.message : String(error) });
  }
  return undefined;
}

/** Lower-case hex SHA-256 of the canonical JSON of a definition, absent members left out (TS17). */
export function hashDefinition(definition: ToolDefinition): string {
  return digestJson({ ...definition });
}
