/** What is found in the output of a local server. */
import { expect, test } from "vitest";
import { describeProviderFaults } from "../../scripts/lib/server-log.ts";

const fault = { level: "error", code: "provider_fault", provider: "main", turn: "trn_1", kind: "refused" };
const lineOf = (fields: object): string => JSON.stringify({ ...fault, ...fields });

test("[SE72] a fault is found behind wrangler's label and colours", () => {
  const written = `\u001B[31m✘ \u001B[41;31m[ERROR]\u001B[0m \u001B[1m${lineOf({ status: 401, message: "HTTP 401: no" })}\u001B[0m`;
  expect(describeProviderFaults(`ready\n\n${written}\n\n`)).toEqual([
    "provider main: refused, status 401: HTTP 401: no",
  ]);
});

test("[SE72] a fault without a status has none invented, and each fault has its line", () => {
  const lines = ["first", "second"].map((message) => lineOf({ kind: "unreachable", message }));
  expect(describeProviderFaults(lines.join("\n"))).toEqual([
    "provider main: unreachable: first",
    "provider main: unreachable: second",
  ]);
});

test("other lines say nothing, whatever they look like", () => {
  const others = [
    "",
    "{",
    "[ERROR] {not json}",
    `{"code":"config_warning","message":"m"}`,
    `{"code":"provider_fault"}`,
  ];
  expect(describeProviderFaults(others.join("\n"))).toEqual([]);
});

test("[SE56] a provider's words are one short line that moves no cursor", () => {
  const [line = ""] = describeProviderFaults(lineOf({ message: `a\u001B[2J\nb${"c".repeat(500)}` }));
  expect(line).toMatch(/^provider main: refused: a\\u\{1b\}\[2J bc+…$/i);
  expect(line.length).toBeLessThan(350);
});
