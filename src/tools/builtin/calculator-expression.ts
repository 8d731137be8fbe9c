/** evaluateExpression: arithmetic text to a number, by recursive descent, in doubles. Rules: TC32. */
import { type Result, failWith, succeed } from "../../contracts/result.ts";

const DEEPEST = 64;

const CONSTANTS: ReadonlyMap<string, number> = new Map([
  ["pi", Math.PI],
  ["e", Math.E],
]);

interface CalculatorFunction {
  readonly most: number;
  readonly apply: (...values: number[]) => number;
}
const unary = (apply: (value: number) => number): CalculatorFunction => ({ most: 1, apply });
const variadic = (apply: (...values: number[]) => number): CalculatorFunction => ({ most: Infinity, apply });

const FUNCTIONS: ReadonlyMap<string, CalculatorFunction> = new Map([
  ["abs", unary(Math.abs)],
  ["ceil", unary(Math.ceil)],
  ["floor", unary(Math.floor)],
  ["round", unary(Math.round)],
  ["sqrt", unary(Math.sqrt)],
  ["min", variadic(Math.min)],
  ["max", variadic(Math.max)],
  ["ln", unary(Math.log)],
  ["log10", unary(Math.log10)],
  ["exp", unary(Math.exp)],
  ["sin", unary(Math.sin)],
  ["cos", unary(Math.cos)],
  ["tan", unary(Math.tan)],
]);

type Operators = ReadonlyMap<string | undefined, (left: number, right: number) => number>;
const SUMS: Operators = new Map([
  ["+", (left: number, right: number) => left + right],
  ["-", (left: number, right: number) => left - right],
]);
const PRODUCTS: Operators = new Map([
  ["*", (left: number, right: number) => left * right],
  ["/", (left: number, right: number) => left / right],
  ["%", (left: number, right: number) => left % right],
]);

interface Signed {
  readonly negative: boolean;
  readonly value: number;
}
const valueOf = ({ negative, value }: Signed): number => (negative ? -value : value);

/** Number, name or sign; its place counts from 1. */
interface Token {
  readonly text: string;
  readonly place: number;
}
const TOKEN = /\s*((?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?|[A-Za-z_]\w*|\S)/y;

function tokenize(text: string): readonly Token[] {
  const tokens: Token[] = [];
  const pattern = new RegExp(TOKEN);
  for (let found = pattern.exec(text); found !== null; found = pattern.exec(text)) {
    const token = found[1] ?? "";
    tokens.push({ text: token, place: pattern.lastIndex - token.length + 1 });
  }
  return tokens;
}

class ExpressionParser {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;
  #fault: string | undefined;

  constructor(text: string) {
    this.#tokens = tokenize(text);
  }

  parse(): Result<number, string> {
    const value = this.#parseSum();
    if (this.#next !== undefined) this.#failUnexpected();
    if (this.#fault !== undefined) return failWith(this.#fault);
    return Number.isFinite(value) ? succeed(value) : failWith("the result is not a finite number");
  }

  get #next(): string | undefined {
    return this.#tokens[this.#at]?.text;
  }

  /** The first fault stands, and with all tokens behind it the parser finds its way out. */
  #fail(message: string): number {
    this.#fault ??= message;
    this.#at = this.#tokens.length;
    return NaN;
  }

  #failUnexpected(): number {
    const token = this.#tokens[this.#at];
    if (token === undefined) return this.#fail("the expression ends too early");
    return this.#fail(`unexpected ${JSON.stringify(token.text)} at character ${token.place}`);
  }

  #take(text: string): boolean {
    if (this.#next !== text) return false;
    this.#at += 1;
    return true;
  }

  #parseSum(): number {
    return this.#parseLeftAssociative(SUMS, () => this.#parseProduct());
  }

  #parseProduct(): number {
    return this.#parseLeftAssociative(PRODUCTS, () => this.#parsePower());
  }

  #parseLeftAssociative(operators: Operators, parseOperand: () => number): number {
    let value = parseOperand();
    for (let apply = operators.get(this.#next); apply !== undefined; apply = operators.get(this.#next)) {
      this.#at += 1;
      value = apply(value, parseOperand());
    }
    return value;
  }

  /** A chain of `^` as a list folded from the right: a long one needs no stack, and `-2^-3^2` is -(2^(-(3^2))). */
  #parsePower(): number {
    const links = [this.#parseSigned()];
    while (this.#take("^")) links.push(this.#parseSigned());
    return valueOf(links.reduceRight((exponent, base) => ({ ...base, value: base.value ** valueOf(exponent) })));
  }

  #parseSigned(): Signed {
    let negative = false;
    while (this.#take("-")) negative = !negative;
    return { negative, value: this.#parsePrimary() };
  }

  #parsePrimary(): number {
    const token = this.#next;
    if (token === undefined) return this.#failUnexpected();
    if (token === "(") return this.#parseNested(1)[0] ?? NaN;
    const constant = /^\.?\d/.test(token) ? Number(token) : CONSTANTS.get(token);
    if (constant !== undefined) {
      this.#at += 1;
      return constant;
    }
    const called = FUNCTIONS.get(token);
    if (called === undefined)
      return /^\w/.test(token) ? this.#fail(`unknown name ${JSON.stringify(token)}`) : this.#failUnexpected();
    this.#at += 1;
    return called.apply(...this.#parseNested(called.most));
  }

  /** `( sum, sum, … )` with at most `most` of them. */
  #parseNested(most: number): readonly number[] {
    if (!this.#take("(")) return [this.#failUnexpected()];
    if (this.#depth === DEEPEST) return [this.#fail(`nested deeper than ${DEEPEST}`)];
    this.#depth += 1;
    const values = [this.#parseSum()];
    while (values.length < most && this.#take(",")) values.push(this.#parseSum());
    this.#depth -= 1;
    if (!this.#take(")")) this.#failUnexpected();
    return values;
  }
}

/** A finite number, or why there is none, in words for the model. */
export function evaluateExpression(text: string): Result<number, string> {
  return new ExpressionParser(text).parse();
}
