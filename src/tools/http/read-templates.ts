/** TemplateReader: reads the templates of one entry of the config file, and keeps what is wrong with them, each with its key. Rules: TC20, TC22, CF6. */
import { type Fault, type JsonSchema, type JsonValue, isObject } from "../../contracts/json.ts";
import { type ArgumentPath, type Template, argumentsOf, parseTemplate, secretsOf } from "./template.ts";

export class TemplateReader {
  readonly #input: JsonSchema;
  readonly faults: Fault[] = [];

  /** `input`: the schema whose arguments the templates may name. */
  constructor(input: JsonSchema) {
    this.#input = input;
  }

  /** A template over the arguments of a call. */
  ofArguments(path: string, text: string): Template {
    const template = this.#withoutSecrets(path, text);
    this.#checkNames(path, template);
    return template;
  }

  /** The same, and it may name secrets. */
  ofHeader(path: string, text: string): Template {
    const template = this.#parse(path, text);
    this.#checkNames(path, template);
    return template;
  }

  /** A template over an answer, of which nothing is known. */
  ofAnswer(path: string, text: string): Template {
    return this.#withoutSecrets(path, text);
  }

  fault(path: string, message: string): void {
    this.faults.push({ path, message });
  }

  #parse(path: string, text: string): Template {
    const parsed = parseTemplate(text);
    if (parsed.ok) return parsed.value;
    this.fault(path, parsed.failure);
    return [];
  }

  #withoutSecrets(path: string, text: string): Template {
    const template = this.#parse(path, text);
    if (secretsOf(template).length > 0) this.fault(path, "a secret may stand in headers only");
    return template;
  }

  #checkNames(path: string, template: Template): void {
    for (const argument of argumentsOf(template)) {
      if (!isDeclared(this.#input, argument)) {
        this.fault(path, `{${argument.join(".")}} is no argument of its input_schema`);
      }
    }
  }
}

/** The outermost name must be declared; below it, a schema that lists no properties is open to any. */
function isDeclared(schema: JsonSchema, [name = "", ...below]: ArgumentPath): boolean {
  const { properties } = schema;
  if (!isObject(properties) || !Object.hasOwn(properties, name)) return false;
  const member = properties[name] as JsonValue;
  if (below.length === 0 || !isObject(member) || !isObject(member["properties"])) return true;
  return isDeclared(member, below);
}
