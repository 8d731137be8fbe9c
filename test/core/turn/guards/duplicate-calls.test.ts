/** Which calls of a batch repeat another, and which of them may. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../../../src/contracts/json.ts";
import {
  callSignature,
  createDuplicateCalls,
  type DedupPolicy,
  type GuardedCall,
} from "../../../../src/core/turn/guards/duplicate-calls.ts";
import { canonicalJson } from "../../../../src/receipts/canonical-json.ts";

const signatureOf = (tool: string, args: JsonObject): string => callSignature(tool, canonicalJson(args));

interface Flags {
  readonly reEntrant?: boolean;
  readonly repeatGuard?: boolean;
}

function call(callId: string, name: string, { reEntrant = false, repeatGuard = false }: Flags = {}): GuardedCall {
  const definition = { name, description: "", inputSchema: {} };
  return { callId, signature: signatureOf(name, { a: 1 }), tool: { definition, reEntrant, repeatGuard } };
}

const policy = (changes: Partial<DedupPolicy> = {}): DedupPolicy => ({
  dedupEnabled: true,
  toolCallDedupExempt: [],
  ...changes,
});
const off = policy({ dedupEnabled: false });
const exempt = policy({ toolCallDedupExempt: ["shell"] });
const shell = { repeatGuard: true };

describe("the signature", () => {
  test.each<[[string, JsonObject], [string, JsonObject], boolean]>([
    [["t", { a: 1, b: 2 }], ["t", { b: 2, a: 1 }], true],
    [["t", { a: { c: 1, d: 2 } }], ["t", { a: { d: 2, c: 1 } }], true],
    [["t", { a: [1, 2] }], ["t", { a: [2, 1] }], false],
    [["t", { a: 1 }], ["t", { a: 1, b: null }], false],
    [["t", { a: 1 }], [" T ", { a: 1 }], true],
    [["t", { a: "A" }], ["t", { a: "a" }], false],
    [["É", { a: 1 }], ["é", { a: 1 }], false],
    [["t", {}], ["u", {}], false],
  ])("[CP14] %j and %j", (one, other, equal) => {
    expect(signatureOf(...one) === signatureOf(...other)).toBe(equal);
  });

  test("[CP14] key order never matters", () => {
    const shuffled = (value: JsonValue): JsonValue =>
      typeof value !== "object" || value === null
        ? value
        : Array.isArray(value)
          ? value.map(shuffled)
          : Object.fromEntries(
              Object.entries(value)
                .map(([key, member]) => [key, shuffled(member)] as const)
                .toReversed(),
            );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 })), (any) => {
        const args = JSON.parse(JSON.stringify(any)) as JsonObject;
        expect(signatureOf("t", shuffled(args) as JsonObject)).toBe(signatureOf("t", args));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("calls about to be dispatched", () => {
  test.each<[string, DedupPolicy, GuardedCall, GuardedCall, string | undefined]>([
    ["the same call", policy(), call("1", "shell"), call("2", "shell"), "1"],
    ["the same name in another case", policy(), call("1", "Shell"), call("2", "shell"), "1"],
    ["another tool", policy(), call("1", "shell"), call("2", "read"), undefined],
    [
      "a delegate",
      policy(),
      call("1", "delegate", { reEntrant: true }),
      call("2", "delegate", { reEntrant: true }),
      undefined,
    ],
    ["exempt by name", exempt, call("1", "shell"), call("2", "shell"), undefined],
    ["exempt by name, with a repeat guard", exempt, call("1", "shell", shell), call("2", "shell", shell), undefined],
    [
      "exempt by pattern",
      policy({ toolCallDedupExempt: ["browser__*"] }),
      call("1", "browser__go"),
      call("2", "browser__go"),
      undefined,
    ],
    ["another tool beside the exempt one", exempt, call("1", "read"), call("2", "read"), "1"],
    ["deduplication off", off, call("1", "shell"), call("2", "shell"), undefined],
  ])("[CP18] %s", (...[, given, first, second, earlier]) => {
    const guard = createDuplicateCalls(given);
    expect(guard.enterExecutable(first)).toBeUndefined();
    expect(guard.enterExecutable(second)).toBe(earlier);
  });

  test("[CP18] the third names the first, and the next batch starts empty", () => {
    const guard = createDuplicateCalls(policy());
    for (const id of ["1", "2"]) guard.enterExecutable(call(id, "shell"));
    expect(guard.enterExecutable(call("3", "shell"))).toBe("1");
    expect(createDuplicateCalls(policy()).enterExecutable(call("4", "shell"))).toBeUndefined();
  });

  test("[CP19] a call that only needed a prompt is not yet one that was dispatched", () => {
    const guard = createDuplicateCalls(policy());
    guard.enterPrompted(call("1", "shell"));
    expect(guard.enterExecutable(call("2", "shell"))).toBeUndefined();
  });
});

describe("calls that need a prompt", () => {
  test.each<[string, DedupPolicy, Flags, string | undefined]>([
    ["twice", policy(), shell, "1"],
    ["twice, exempt, with a repeat guard", exempt, shell, "1"],
    ["twice, deduplication off, with a repeat guard", off, shell, "1"],
    ["twice, exempt, without a repeat guard", exempt, {}, undefined],
    ["twice, deduplication off, without a repeat guard", off, {}, undefined],
    ["twice without a repeat guard", policy(), {}, "1"],
    ["a re-entrant tool", policy(), { reEntrant: true, repeatGuard: true }, undefined],
  ])("[CP15] %s", (...[, given, flags, earlier]) => {
    const guard = createDuplicateCalls(given);
    expect(guard.enterPrompted(call("1", "shell", flags))).toBeUndefined();
    expect(guard.enterPrompted(call("2", "shell", flags))).toBe(earlier);
  });
});
