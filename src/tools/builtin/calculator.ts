/** calculator: exact to the last digit a double can hold. Rules: TC32. */
import { z } from "zod";
import { fail, ok } from "../tool-result.ts";
import { evaluateExpression } from "./calculator-expression.ts";
import { defineBuiltin } from "./define-builtin.ts";

export const calculator = defineBuiltin({
  name: "calculator",
  title: "Calculator",
  description:
    "Evaluates an arithmetic expression: numbers, + - * / % ^ (power), parentheses, pi, e, and the functions abs, ceil, floor, round, sqrt, min, max, ln, log10, exp, sin, cos, tan (radians).",
  input: z.object({ expression: z.string().max(1_000).describe("For example 12*(3+4) or sqrt(2)^3") }),
  execute({ expression }) {
    const result = evaluateExpression(expression);
    // String() gives the shortest decimal that reads back as the same double.
    return result.ok ? ok(String(result.value)) : fail(result.failure);
  },
});
