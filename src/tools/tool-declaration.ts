/** Tool declarations: what an author writes to define a tool, before defaults. Rules: TC1, TC3. */
import type { z } from "zod";
import type { JsonObject, JsonSchema } from "../contracts/json.ts";
import type { Provenance, Risk, ToolContext, ToolResult } from "../contracts/tool.ts";

export type ToolInput = z.ZodObject | JsonSchema;

/** What `execute` gets: zod's parsed output, or the checked JSON as it came. */
export type ArgumentsOf<Input extends ToolInput> = Input extends z.ZodObject ? z.output<Input> : JsonObject;
/** What a predicate over arguments gets: the JSON itself, before zod's defaults and transforms. */
export type JsonArgumentsOf<Input extends ToolInput> = Input extends z.ZodObject ? z.input<Input> : JsonObject;

export type ToolReturn = ToolResult | string;

export interface ToolFlags {
  /** Shown to the approver; default `"medium"`. */
  readonly risk?: Risk;
  /** Changes nothing outside the runtime's own bookkeeping; default false. */
  readonly readOnly?: boolean;
  /** Recovery may run it again under one key; default false. */
  readonly idempotent?: boolean;
  /** Seconds, 1–600; default: the runtime profile's. */
  readonly timeoutSecs?: number;
  /** Default: true for `shell` and for risk `"high"`. */
  readonly repeatGuard?: boolean;
  /** Default: true for `delegate`. */
  readonly reEntrant?: boolean;
  /** Takes the runtime's `approved` argument; default: true for `shell`, `schedule` and the `cron_*` tools that act. */
  readonly approvalMarker?: boolean;
  /** Whose code runs; default `"extension"`. */
  readonly provenance?: Provenance;
  /** Names of the secrets that `context.secret` may read; default none. */
  readonly secrets?: readonly string[];
}

export interface ToolDeclaration<Input extends ToolInput> extends ToolFlags {
  /** `^[A-Za-z][A-Za-z0-9_.-]{0,127}$` */
  readonly name: string;
  readonly title?: string;
  /** For the model; 1–4,096 code points. */
  readonly description: string;
  /** A zod object, or a JSON Schema with `type: "object"`. */
  readonly input: Input;
  /** Shape of a success's `data`. */
  readonly output?: z.ZodType | JsonSchema;
  /** Whether these arguments need a person; `true`: all do. */
  readonly needsApproval?: true | ((args: JsonArgumentsOf<Input>) => boolean | Promise<boolean>);
  /** Runs the tool. A thrown error becomes a `failed` call with the error's message. */
  readonly execute: (args: ArgumentsOf<Input>, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
}

/** A declaration whose argument type is forgotten: only what its own schema has judged may be handed to it. */
export interface AnyToolDeclaration extends Omit<ToolDeclaration<ToolInput>, "needsApproval" | "execute"> {
  readonly needsApproval?: true | ((args: never) => boolean | Promise<boolean>);
  readonly execute: (args: never, context: ToolContext) => ToolReturn | Promise<ToolReturn>;
}
