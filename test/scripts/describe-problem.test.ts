/** Problem documents as one line. */
import { describe, expect, test } from "vitest";
import { describeProblem } from "../../scripts/lib/describe-problem.ts";
import { encodeProblem, invalidRequest } from "../../src/wire/problem.ts";

describe("a refused request", () => {
  test("[HP1] is one line with its slug, status, fields and request", () => {
    const problem = invalidRequest([
      { path: "input", message: "too short" },
      { path: "", message: "no object" },
    ]);
    expect(describeProblem(400, JSON.stringify(encodeProblem(problem, "req_1")))).toEqual({
      slug: "invalid-request",
      line:
        "invalid-request (400): The request does not have the shape that this route takes.; " +
        "input: too short; body: no object [request req_1]",
    });
  });

  test("many faulty fields are cut short, with their number", () => {
    const errors = Array.from({ length: 11 }, (_, index) => ({ path: `f${index}`, message: "unknown" }));
    const { line } = describeProblem(400, JSON.stringify(encodeProblem(invalidRequest(errors), "r")));
    expect(line).toContain("; f7: unknown; and 3 more [request r]");
  });

  test.each([
    ["<html>\nBad Gateway", "HTTP 502: <html> Bad Gateway"],
    ['{"error":"x"}', 'HTTP 502: {"error":"x"}'],
    ["", "HTTP 502: no reason"],
    ["\u001B[2J", "HTTP 502: \\u{1b}[2J"],
  ])("that is no problem document (%j) shows what came", (body, line) => {
    expect(describeProblem(502, body)).toEqual({ slug: undefined, line });
  });
});
