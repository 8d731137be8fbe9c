/** How failures are named that no server on the loopback can be made to cause. */
import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import { expect, test } from "vitest";
import { mayRetry, readFault } from "../../../src/providers/openai-compatible/provider-fault.ts";

const lost = new Error("Network connection lost.");
const wrapped = new APICallError({
  message: "Failed to process successful response",
  cause: lost,
  statusCode: 200,
  url: "https://a.example",
  requestBodyValues: {},
});

test.each([
  ["a plain error before the answer", lost, false, { kind: "unreachable", message: "Network connection lost." }],
  ["a plain error within it", lost, true, { kind: "cut", message: "Network connection lost." }],
  [
    "a body that broke",
    wrapped,
    true,
    { kind: "cut", message: "Failed to process successful response (Network connection lost.)" },
  ],
  [
    "an answer that is none",
    new InvalidResponseDataError({ data: {}, message: "no choices" }),
    false,
    { kind: "cut", message: "no choices" },
  ],
  ["an error frame without words", {}, true, { kind: "cut", message: "no message" }],
  ["an error frame that is no object", 7, true, { kind: "cut", message: "7" }],
])("%s", (...[, error, opened, fault]) => {
  expect(readFault(error, opened)).toEqual(fault);
});

test("[PV16] worth another try: an absent, a busy or a failing server, and nothing else", () => {
  const statuses = [400, 401, 404, 408, 413, 429, 500, 503];
  expect(statuses.filter((status) => mayRetry({ kind: "refused", message: "", status }))).toEqual([429, 500, 503]);
  const kinds = ["refused", "unreachable", "cut", "context_overflow", "egress", "timeout", "not_configured"] as const;
  expect(kinds.filter((kind) => mayRetry({ kind, message: "" }))).toEqual(["unreachable"]);
});
