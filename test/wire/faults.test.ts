/** What a client is told of a body that does not fit. */
import { assert, jsonValue, property } from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { decodeConversationBody, decodeTurnBody, decodeVerifyBody } from "../../src/wire/requests.ts";
import type { DecodeBody } from "../../src/wire/body.ts";

function faultsOf(decode: DecodeBody<unknown>, body: JsonValue): readonly string[] {
  const decoded = decode(body);
  return decoded.ok ? [] : (decoded.failure.errors ?? []).map(({ path, message }) => `${path}: ${message}`);
}

const rows: readonly (readonly [body: JsonValue, ...faults: string[]])[] = [
  [[], ": must be an object, not a list"],
  [null, ": must be an object, not null"],
  [{}, "input: is required"],
  [{ input: 7 }, "input: must be text or a list, not a number"],
  [{ input: null }, "input: must be text or a list, not null"],
  [{ input: "" }, "input: must not be empty"],
  [{ input: [] }, "input: must not be empty"],
  [{ input: [true] }, "input.0: must be an object, not true or false"],
  [{ input: [{}] }, 'input.0.type: must be "text" or "image"'],
  [{ input: [{ type: "audio" }] }, 'input.0.type: must be "text" or "image"'],
  [{ input: [{ type: "text" }] }, "input.0.text: is required"],
  [
    { input: [{ type: "image", url: "ftp://a", media_type: "png" }] },
    "input.0.url: must be an http or https URL",
    "input.0.media_type: does not have the form that it must have",
  ],
  [{ input: [{ type: "image", data: "!", media_type: "image/png" }] }, "input.0.data: must be base64"],
  [{ input: "x", agent: 1 }, "agent: must be text, not a number"],
  [{ input: "x", parallel_tools: "yes" }, "parallel_tools: must be true or false, not text"],
  [{ input: "x", metadata: [] }, "metadata: must be an object, not a list"],
  [{ input: "x", max_tool_iterations: -1 }, "max_tool_iterations: must be at least 0"],
  [{ input: "x", max_tool_iterations: 1.5 }, "max_tool_iterations: must be a whole number"],
  [{ input: "x", max_tool_iterations: "2" }, "max_tool_iterations: must be a number, not text"],
  [{ input: "x", approvals: "ask" }, 'approvals: must be "prompt" or "deny"'],
  [{ input: "x", allowed_tools: {} }, "allowed_tools: must be a list, not an object"],
  [{ input: "x", allowed_tools: ["a".repeat(129)] }, "allowed_tools.0: must have at most 128 characters"],
  [{ input: "x", inputs: 1 }, "inputs: unknown field"],
];

describe("a turn's body", () => {
  test.each(rows)("[SE72] %j", (body, ...faults) => {
    expect(faultsOf(decodeTurnBody, body)).toEqual(faults);
  });
});

test("[SE72] every field that is missing or of the wrong type is named at once", () => {
  expect(faultsOf(decodeVerifyBody, {})).toEqual(["receipt: is required", "conversation: is required"]);
  expect(faultsOf(decodeVerifyBody, { receipt: 1, conversation: null, result: [] })).toEqual([
    "receipt: must be text, not a number",
    "conversation: must be text, not null",
    "result: must be text, not a list",
  ]);
});

test("[SE72] whatever is wrong is told in our words, and no value is repeated", () => {
  const secret = "hush-hush";
  const anyBody = jsonValue().map((value) => ({ input: value, agent: [secret], metadata: secret, on_busy: secret }));
  assert(
    property(anyBody, (body) => {
      const told = [decodeTurnBody, decodeVerifyBody, decodeConversationBody]
        .flatMap((decode) => faultsOf(decode, body as JsonValue))
        .join("\n");
      expect(told).not.toMatch(/Invalid|expected|received|undefined/);
      expect(told).not.toContain(secret);
    }),
  );
});
