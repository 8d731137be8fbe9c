/** Request bodies: what is accepted, what it becomes, which path each fault names. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../src/contracts/json.ts";
import { decodeConversationBody, decodeTurnBody, decodeVerifyBody } from "../../src/wire/requests.ts";

function faultPaths(value: JsonValue): readonly string[] {
  const decoded = decodeTurnBody(value);
  if (decoded.ok) return [];
  expect(decoded.failure.slug).toBe("invalid-request");
  return (decoded.failure.errors ?? []).map(({ path }) => path);
}

describe("a turn's body", () => {
  test("[RX5] every field that narrows a run comes out under its contract name, and absent ones stay absent", () => {
    const decoded = decodeTurnBody({
      input: "hi",
      agent: "assistant",
      allowed_tools: ["a"],
      excluded_tools: ["b"],
      max_tool_iterations: 3,
      parallel_tools: false,
      max_tool_result_chars: 100,
      approvals: "deny",
      on_busy: "reject",
      metadata: { someKey: { nested_key: 1 } },
      client_message_id: "m-1",
    });
    expect(decoded).toEqual({
      ok: true,
      value: {
        clientMessageId: "m-1",
        request: {
          input: [{ type: "text", text: "hi" }],
          agent: "assistant",
          narrowing: {
            allowedTools: ["a"],
            excludedTools: ["b"],
            maxToolIterations: 3,
            parallelTools: false,
            maxToolResultChars: 100,
            approvals: "deny",
          },
          onBusy: "reject",
          metadata: { someKey: { nested_key: 1 } },
        },
      },
    });
    const least = decodeTurnBody({ input: "hi" });
    expect(least.ok && Object.keys(least.value)).toEqual(["request"]);
    expect(least.ok && Object.keys(least.value.request)).toEqual(["input", "narrowing"]);
    expect(least.ok && least.value.request.narrowing).toEqual({});
  });

  test("parts become text and images, by URL or by data", () => {
    const decoded = decodeTurnBody({
      input: [
        { type: "text", text: "what is this?" },
        { type: "image", url: "https://example.com/a.png", media_type: "image/png" },
        { type: "image", data: "aGk=", media_type: "image/jpeg" },
      ],
    });
    expect(decoded.ok && decoded.value.request.input).toEqual([
      { type: "text", text: "what is this?" },
      { type: "image", url: "https://example.com/a.png", mediaType: "image/png" },
      { type: "image", data: "aGk=", mediaType: "image/jpeg" },
    ]);
  });

  test.each<[string, JsonValue, readonly string[]]>([
    [
      "unknown fields, all named",
      { input: "x", messages: [{ role: "tool", tool_call_id: "c1", content: "ok" }], approved: true },
      ["messages", "approved"],
    ],
    ["fields of another version", { input: "x", callback: { url: "https://a.example" } }, ["callback"]],
    ["no input", {}, ["input"]],
    ["no object", [], [""]],
    ["empty text", { input: "" }, ["input"]],
    ["no parts", { input: [] }, ["input"]],
    ["an empty part", { input: [{ type: "text", text: "" }] }, ["input.0.text"]],
    ["an unknown part", { input: [{ type: "text", text: "a" }, { type: "video" }] }, ["input.1.type"]],
    ["a field too many in a part", { input: [{ type: "text", text: "a", cache: true }] }, ["input.0.cache"]],
    ["an image of nothing", { input: [{ type: "image", media_type: "image/png" }] }, ["input.0"]],
    [
      "an image twice",
      { input: [{ type: "image", media_type: "image/png", url: "https://a.example/b", data: "aGk=" }] },
      ["input.0"],
    ],
    [
      "an image by script",
      { input: [{ type: "image", media_type: "image/png", url: "javascript:1" }] },
      ["input.0.url"],
    ],
    ["an image without type", { input: [{ type: "image", data: "aGk=" }] }, ["input.0.media_type"]],
    ["a fraction", { input: "x", max_tool_iterations: 1.5 }, ["max_tool_iterations"]],
    ["less than nothing", { input: "x", max_tool_result_chars: -1 }, ["max_tool_result_chars"]],
    ["an unknown busy policy", { input: "x", on_busy: "wait" }, ["on_busy"]],
    ["approvals that would widen", { input: "x", approvals: "allow" }, ["approvals"]],
    ["a message id with a space", { input: "x", client_message_id: "a b" }, ["client_message_id"]],
    ["a number among tools", { input: "x", allowed_tools: ["a", 1] }, ["allowed_tools.1"]],
    ["[SE90] a pattern with two stars", { input: "x", allowed_tools: ["a*", "a*b*"] }, ["allowed_tools.1"]],
    [
      "[SE90] a blank pattern",
      { input: "x", excluded_tools: ["*", " ", ""] },
      ["excluded_tools.1", "excluded_tools.2"],
    ],
    ["a name of half a mebibyte", { input: "x", excluded_tools: [`${"a".repeat(2 ** 19)}**`] }, ["excluded_tools.0"]],
  ])("%s", (_name, body, paths) => {
    expect(faultPaths(body)).toEqual(paths);
  });

  test.each(["queue", "reject", "steer", "interrupt"] as const)("[LC28] a turn may %s", (policy) => {
    const decoded = decodeTurnBody({ input: "x", on_busy: policy });
    expect(decoded.ok && decoded.value.request.onBusy).toBe(policy);
  });

  test("[SE59] text is bounded by its bytes over all parts, metadata by entries and characters", () => {
    const limit = 256 * 1024;
    expect(faultPaths({ input: "é".repeat(limit / 2) })).toEqual([]);
    expect(faultPaths({ input: `${"é".repeat(limit / 2)}a` })).toEqual(["input"]);
    const half = { type: "text", text: "a".repeat(limit / 2) };
    expect(faultPaths({ input: [half, half] })).toEqual([]);
    expect(faultPaths({ input: [half, half, { type: "text", text: "a" }] })).toEqual(["input"]);
    const entries = (count: number): JsonValue =>
      Object.fromEntries(Array.from({ length: count }, (_item, index) => [`k${index}`, "v"]));
    expect(faultPaths({ input: "x", metadata: entries(16) })).toEqual([]);
    expect(faultPaths({ input: "x", metadata: entries(17) })).toEqual(["metadata"]);
    expect(faultPaths({ input: "x", metadata: { k: "😀".repeat(512) } })).toEqual([]);
    expect(faultPaths({ input: "x", metadata: { k: "😀".repeat(513) } })).toEqual(["metadata"]);
    expect(faultPaths({ input: "x", metadata: { k: [["a".repeat(512)]] } })).toEqual(["metadata"]);
  });

  test("[SE72] a fault names the path and never the value", () => {
    const decoded = decodeTurnBody({ input: "x", on_busy: "ck_live_secret", agent: 7, metadata: "ck_live_secret" });
    expect(decoded.ok).toBe(false);
    expect(JSON.stringify(decoded)).not.toContain("ck_live_secret");
  });

  test("a body of thousands of unknown fields names some of them", () => {
    const body = Object.fromEntries(Array.from({ length: 5000 }, (_item, index) => [`field${index}`, 1]));
    expect(faultPaths(body).length).toBe(32);
  });
});

describe("the other bodies", () => {
  test("a conversation takes an agent with metadata and nothing else", () => {
    expect(decodeConversationBody({})).toEqual({ ok: true, value: {} });
    expect(decodeConversationBody({ agent: "a", metadata: { k: 1 } })).toEqual({
      ok: true,
      value: { agent: "a", metadata: { k: 1 } },
    });
    expect(decodeConversationBody({ id: "x" })).toMatchObject({ failure: { errors: [{ path: "id" }] } });
  });

  test("[RE9] a claim keeps what was given and only that: null arguments are a claim too", () => {
    const base = { receipt: "r", conversation: "c" };
    expect(decodeVerifyBody(base)).toEqual({ ok: true, value: { conversation: "c", claim: { receipt: "r" } } });
    expect(decodeVerifyBody({ ...base, tool: "t", arguments: null, result: "" })).toEqual({
      ok: true,
      value: { conversation: "c", claim: { receipt: "r", tool: "t", arguments: null, result: "" } },
    });
    expect(decodeVerifyBody({ receipt: "r" })).toMatchObject({ failure: { errors: [{ path: "conversation" }] } });
  });
});

describe("tools that a request brings", () => {
  const withTools = (...tools: readonly JsonValue[]) => ({ input: "x", client_tools: tools });

  test("[VW5][TC29] come out as they were written, keys of schemas included", () => {
    const tools = [{ name: "-1_pick", parameters: { type: "object", min_length: 1, minLength: 2 } }, { name: "b" }];
    const decoded = decodeTurnBody(withTools(...tools));
    expect(decoded.ok && decoded.value.request.clientTools).toEqual(tools);
  });

  test.each([
    ["emoji", { name: "🦜" }, "client_tools.0.name"],
    ["65 letters", { name: "a".repeat(65) }, "client_tools.0.name"],
    ["a dot", { name: "a.b" }, "client_tools.0.name"],
    ["nothing", { name: "" }, "client_tools.0.name"],
    ["another key", { name: "a", input_schema: {} }, "client_tools.0.input_schema"],
    ["a long description", { name: "a", description: "é".repeat(4097) }, "client_tools.0.description"],
    ["no schema", { name: "a", parameters: "object" }, "client_tools.0.parameters"],
  ])("[VW5] %s is refused at its place", (_what, tool, path) => {
    expect(faultPaths(withTools(tool))).toEqual([path]);
  });

  test("[VW5] at most 64, none twice", () => {
    const many = Array.from({ length: 65 }, (_, n) => ({ name: `t${n}` }));
    expect(faultPaths(withTools(...many.slice(1)))).toEqual([]);
    expect(faultPaths(withTools(...many))).toEqual(["client_tools"]);
    expect(faultPaths(withTools({ name: "a" }, { name: "b" }, { name: "a" }))).toEqual(["client_tools.2.name"]);
  });

  test("[SE59] a description of 4096 characters outside the first plane is taken", () => {
    expect(faultPaths(withTools({ name: "a", description: "🦜".repeat(4096) }))).toEqual([]);
  });
});
