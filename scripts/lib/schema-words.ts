/** JSON Schema in words: the type column of the references. Rules: CF7. */

/** The part of JSON Schema that zod writes for our schemas. */
export interface JsonSchemaNode {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  /** Only JSON of any shape refers to itself. */
  readonly $ref?: string;
  readonly default?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, JsonSchemaNode>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchemaNode;
  readonly additionalProperties?: JsonSchemaNode | boolean;
  readonly anyOf?: readonly JsonSchemaNode[];
  readonly oneOf?: readonly JsonSchemaNode[];
}

/** What zod returns is typed more widely than what it writes. */
export function parseNode(schema: object): JsonSchemaNode {
  return schema;
}

const literal = (value: unknown): string => `\`${JSON.stringify(value)}\``;

function describeRange({ minimum, exclusiveMinimum, maximum }: JsonSchemaNode): string {
  const least = minimum === undefined || minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum;
  const most = maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum;
  if (exclusiveMinimum !== undefined) return ` > ${exclusiveMinimum}`;
  if (least !== undefined && most !== undefined) return ` ${least}–${most}`;
  if (least !== undefined) return ` ≥ ${least}`;
  return most === undefined ? "" : ` ≤ ${most}`;
}

function describeObject({ properties, additionalProperties }: JsonSchemaNode): string {
  if (properties !== undefined) return "section";
  const member = typeof additionalProperties === "object" ? describeType(additionalProperties) : "value";
  return member === "value" ? "object" : `map of ${member}`;
}

export function describeType(node: JsonSchemaNode): string {
  if (node.$ref !== undefined) return "JSON";
  if (node.const !== undefined) return literal(node.const);
  if (node.enum !== undefined) return node.enum.map(literal).join(", ");
  const forms = node.anyOf ?? node.oneOf;
  if (forms !== undefined) return Array.from(new Set(forms.map(describeType))).join(" or ");
  if (Array.isArray(node.type)) return node.type.map((type: string) => describeType({ ...node, type })).join(" or ");
  if (node.type === "array") return `list of ${node.items === undefined ? "values" : describeType(node.items)}`;
  if (node.type === "object") return describeObject(node);
  if (node.type === "string") return node.format === "date-time" ? "time" : "text";
  return `${String(node.type ?? "value")}${describeRange(node)}`;
}
