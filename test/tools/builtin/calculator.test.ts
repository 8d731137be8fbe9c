/** The calculator: values, refusals, a grammar held against trees that need none. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { evaluateExpression } from "../../../src/tools/builtin/calculator-expression.ts";
import { calculator } from "../../../src/tools/builtin/calculator.ts";
import { fail, ok } from "../../../src/tools/tool-result.ts";
import { runTool } from "../run-tool.ts";

const calculate = (expression: string): Promise<unknown> => runTool(calculator, { expression });
const nested = (depth: number): string => `${"(".repeat(depth)}1${")".repeat(depth)}`;

describe("values", () => {
  test.each([
    ["12*(3+4)", "84"],
    [" 1 +\t2 ", "3"],
    ["10-4-3", "3"],
    ["100/10/5", "2"],
    ["2+3*4", "14"],
    ["7%4*2", "6"],
    ["-7%4", "-3"],
    ["-2^2", "-4"],
    ["(-2)^2", "4"],
    ["2^-1", "0.5"],
    ["2^3^2", "512"],
    ["-2^-3^2", "-0.001953125"],
    ["--2", "2"],
    ["2--2", "4"],
    ["2*-3", "-6"],
    ["0.1+0.2", "0.30000000000000004"],
    [".5+1.", "1.5"],
    ["1e3+1E-1", "1000.1"],
    ["2^64", "18446744073709552000"],
    ["0*-1", "0"],
    ["e", "2.718281828459045"],
    ["2*pi", "6.283185307179586"],
    ["abs(-3)+ceil(1.2)+floor(1.8)+round(2.5)", "9"],
    ["sqrt(16)+min(3,1,2)+max(1)", "6"],
    ["ln(e)+log10(1000)+exp(0)", "5"],
    ["sin(0)+cos(0)+tan(0)", "1"],
    ["max(1,(2),3*4)", "12"],
    ["1/(1/0)", "0"],
  ])("[TC32] %s is %s", async (expression, value) => {
    expect(await calculate(expression)).toEqual(ok(value));
  });
});

describe("refusals", () => {
  test.each([
    ["1/0", "the result is not a finite number"],
    ["sqrt(-1)", "the result is not a finite number"],
    ["10^400", "the result is not a finite number"],
    ["1e999", "the result is not a finite number"],
    ["", "the expression ends too early"],
    ["1+", "the expression ends too early"],
    ["(1", "the expression ends too early"],
    ["min()", 'unexpected ")" at character 5'],
    ["min(1,)", 'unexpected ")" at character 7'],
    ["sin(1,2)", 'unexpected "," at character 6'],
    ["1 2", 'unexpected "2" at character 3'],
    ["2pi", 'unexpected "pi" at character 2'],
    ["1,2", 'unexpected "," at character 2'],
    ["+1", 'unexpected "+" at character 1'],
    ["1)", 'unexpected ")" at character 2'],
    ["sin 1", 'unexpected "1" at character 5'],
    ["pi(1)", 'unexpected "(" at character 3'],
    ["1..2", 'unexpected ".2" at character 3'],
    ["2**3", 'unexpected "*" at character 3'],
    ["1 ; 2", 'unexpected ";" at character 3'],
    ["constructor", 'unknown name "constructor"'],
    ["toString()", 'unknown name "toString"'],
    ["__proto__", 'unknown name "__proto__"'],
    ["Math.PI", 'unknown name "Math"'],
    ["PI", 'unknown name "PI"'],
  ])("[TC32] %j: %s", async (expression, reason) => {
    expect(await calculate(expression)).toEqual(fail(reason));
  });

  test("[TC32] parentheses and calls nest 64 deep and no deeper", async () => {
    expect(await calculate(nested(64))).toEqual(ok("1"));
    expect(await calculate(nested(65))).toEqual(fail("nested deeper than 64"));
    expect(await calculate(`${"abs(".repeat(65)}1${")".repeat(65)}`)).toEqual(fail("nested deeper than 64"));
    expect(await calculate(`${nested(64)}+${nested(64)}`)).toEqual(ok("2"));
  });

  test("[TC32] a chain of signs or powers is as long as an expression may be", async () => {
    expect(await calculate(`${"-".repeat(998)}2`)).toEqual(ok("2"));
    expect(await calculate(`1${"^1".repeat(499)}`)).toEqual(ok("1"));
  });

  test("an expression of more than 1,000 characters is off schema", () => {
    expect(calculator.checkArguments({ expression: "1".repeat(1_000) }).ok).toBe(true);
    expect(calculator.checkArguments({ expression: "1".repeat(1_001) }).ok).toBe(false);
  });
});

/** An expression as a tree, evaluated without any grammar: the parser must give the tree back. */
type Tree =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "negative"; readonly of: Tree }
  | { readonly kind: "call"; readonly name: "abs" | "max"; readonly of: readonly Tree[] }
  | {
      readonly kind: "binary";
      readonly sign: "+" | "-" | "*" | "/" | "%" | "^";
      readonly left: Tree;
      readonly right: Tree;
    };

const CALL = {
  abs: ([value = NaN]: readonly number[]) => Math.abs(value),
  max: (values: readonly number[]) => Math.max(...values),
};

const OPERATE = {
  "+": (left: number, right: number) => left + right,
  "-": (left: number, right: number) => left - right,
  "*": (left: number, right: number) => left * right,
  "/": (left: number, right: number) => left / right,
  "%": (left: number, right: number) => left % right,
  "^": (left: number, right: number) => left ** right,
};

function evaluateTree(tree: Tree): number {
  if (tree.kind === "number") return tree.value;
  if (tree.kind === "negative") return -evaluateTree(tree.of);
  if (tree.kind === "call") return CALL[tree.name](tree.of.map(evaluateTree));
  return OPERATE[tree.sign](evaluateTree(tree.left), evaluateTree(tree.right));
}

/** Binding strength of a node, then the least its left and right side need to stand without parentheses. */
const STRENGTH = {
  "+": [1, 1, 2],
  "-": [1, 1, 2],
  "*": [2, 2, 3],
  "/": [2, 2, 3],
  "%": [2, 2, 3],
  "^": [4, 5, 3],
} as const;

/** As few parentheses as the grammar allows. */
function writeTree(tree: Tree, least = 1): string {
  if (tree.kind === "number") return String(tree.value);
  if (tree.kind === "call") return `${tree.name}(${tree.of.map((part) => writeTree(part)).join(",")})`;
  if (tree.kind === "negative") return wrap(`-${writeTree(tree.of, 3)}`, 3, least);
  const [strength, left, right] = STRENGTH[tree.sign];
  return wrap(`${writeTree(tree.left, left)} ${tree.sign}${writeTree(tree.right, right)}`, strength, least);
}

const wrap = (text: string, strength: number, least: number): string => (strength < least ? `(${text})` : text);

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, withCrossShrink: true },
    fc.record({
      kind: fc.constant("number" as const),
      value: fc.double({ min: 0, noNaN: true, noDefaultInfinity: true }),
    }),
    fc.record({ kind: fc.constant("number" as const), value: fc.nat(9) }),
    fc.record({ kind: fc.constant("negative" as const), of: tie("tree") }),
    fc.record({ kind: fc.constant("call" as const), name: fc.constant("abs" as const), of: fc.tuple(tie("tree")) }),
    fc.record({
      kind: fc.constant("call" as const),
      name: fc.constant("max" as const),
      of: fc.array(tie("tree"), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({
      kind: fc.constant("binary" as const),
      sign: fc.constantFrom("+", "-", "*", "/", "%", "^"),
      left: tie("tree"),
      right: tie("tree"),
    }),
  ),
}));

test("[TC32] any expression is read as it was meant, with no parenthesis too many", () => {
  fc.assert(
    fc.property(tree, (meant) => {
      const expected = evaluateTree(meant);
      const result = evaluateExpression(writeTree(meant));
      const readBack = result.ok ? Number(String(result.value)) : "refused";
      // Adding 0 makes one zero of the two, which the output does not tell apart.
      expect(readBack).toBe(Number.isFinite(expected) ? expected + 0 : "refused");
    }),
    { numRuns: 1_000 },
  );
});

test("[TC32] any text gives a number or a reason", () => {
  const pieces = fc.constantFrom("(", ")", ",", "^", "-", "+", "1", ".", "e", "max", "x", " ", "\n", "\u{1F600}");
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const result = evaluateExpression(parts.join(""));
      expect(result.ok ? Number.isFinite(result.value) : result.failure !== "").toBe(true);
    }),
    { numRuns: 1_000 },
  );
});
