/** Bodies sent to a turn under way: what is accepted, what it becomes, which path each fault names. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import type { DecodeBody } from "../../src/wire/body.ts";
import {
  decodeDecisionBody,
  decodeMessageBody,
  decodeNoBody,
  decodeToolResultsBody,
} from "../../src/wire/turn-requests.ts";

function faultPaths(decode: DecodeBody<unknown>, value: JsonValue): readonly string[] {
  const decoded = decode(value);
  if (decoded.ok) return [];
  expect(decoded.failure.slug).toBe("invalid-request");
  return (decoded.failure.errors ?? []).map(({ path }) => path);
}

describe("a decision", () => {
  test.each<JsonValue>([
    { decision: "approve" },
    { decision: "always", note: "it is safe" },
    { decision: "deny", note: "" },
    { decision: "replace", replacement: "" },
  ])("[AP6] %j is one", (body) => {
    expect(decodeDecisionBody(body)).toEqual({ ok: true, value: body });
  });

  test.each<[JsonValue, readonly string[]]>([
    [{}, ["decision"]],
    [{ decision: "yes" }, ["decision"]],
    [{ decision: "replace" }, ["replacement"]],
    [{ decision: "approve", replacement: "x" }, ["replacement"]],
    [{ decision: "approve", channel: "ops", decided_by: "ann" }, ["channel", "decided_by"]],
  ])("[AP6][SE23] %j is none", (body, paths) => {
    expect(faultPaths(decodeDecisionBody, body)).toEqual(paths);
  });
});

describe("a message", () => {
  test("[LC26] it is an input like any other, or one text", () => {
    const text = [{ type: "text", text: "and in euros" }];
    expect(decodeMessageBody({ text: "and in euros" })).toEqual({ ok: true, value: text });
    expect(decodeMessageBody({ input: "and in euros" })).toEqual({ ok: true, value: text });
    const image = { type: "image", data: "aGk=", media_type: "image/png" };
    expect(decodeMessageBody({ input: [image] })).toEqual({
      ok: true,
      value: [{ type: "image", data: "aGk=", mediaType: "image/png" }],
    });
  });

  test.each<[string, JsonValue, readonly string[]]>([
    ["nothing", {}, ["input"]],
    ["both", { input: "a", text: "b" }, ["input"]],
    ["an empty text", { text: "" }, ["text"]],
    ["more than 256 KiB", { text: "é".repeat(131_073) }, ["text"]],
    ["a role", { text: "a", role: "system" }, ["role"]],
  ])("[SE59] %s is none", (_name, body, paths) => {
    expect(faultPaths(decodeMessageBody, body)).toEqual(paths);
  });
});

describe("results of client tools", () => {
  const decode = (result: JsonValue) => {
    const decoded = decodeToolResultsBody({ results: [result] });
    return decoded.ok ? decoded.value[0] : decoded.failure.errors?.map(({ path }) => path);
  };

  test("[TC27] output or error alone say how it went; success says it over them; data stays the client's", () => {
    const id = { call_id: "call_1" };
    const callId = "call_1";
    expect(decode({ ...id, output: "" })).toEqual({ callId, result: { success: true, output: "" } });
    expect(decode({ ...id, error: "no" })).toEqual({ callId, result: { success: false, error: "no" } });
    const failed = { success: false, error: "no", output: "half" };
    expect(decode({ ...id, error: "no", output: "half" })).toEqual({ callId, result: failed });
    expect(decode({ ...id, success: false, output: "half" })).toEqual({ callId, result: { ...failed, error: "" } });
    const data = { someKey: [{ nested_key: null }] };
    const ok = { success: true, output: "x", data };
    expect(decode({ ...id, ...ok })).toEqual({ callId, result: ok });
  });

  test.each<[string, JsonValue, readonly string[]]>([
    ["neither output nor error", { call_id: "c" }, ["results.0"]],
    ["a success without output", { call_id: "c", success: true, error: "x" }, ["results.0.success"]],
    ["a success with an error", { call_id: "c", success: true, output: "x", error: "x" }, ["results.0.success"]],
    ["an id out of grammar", { call_id: "a/b", output: "" }, ["results.0.call_id"]],
    ["a receipt of its own", { call_id: "c", output: "", receipt: "zc-receipt-1" }, ["results.0.receipt"]],
  ])("[TC27][SE20] %s is none", (_name, result, paths) => {
    expect(decode(result)).toEqual(paths);
  });

  test("[TC28] a call is answered once in a post, and a post answers at least one", () => {
    const result = { call_id: "c", output: "x" };
    expect(faultPaths(decodeToolResultsBody, { results: [result, result] })).toEqual(["results"]);
    expect(faultPaths(decodeToolResultsBody, { results: [] })).toEqual(["results"]);
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ call_id: `c${at}`, output: "x" }));
    expect(faultPaths(decodeToolResultsBody, { results: many(256) })).toEqual([]);
    expect(faultPaths(decodeToolResultsBody, { results: many(257) })).toEqual(["results"]);
  });
});

test("[SE59] a verb without a body takes no field", () => {
  expect(decodeNoBody({}).ok).toBe(true);
  expect(faultPaths(decodeNoBody, { reason: "x" })).toEqual(["reason"]);
  expect(faultPaths(decodeNoBody, [])).toEqual([""]);
});
