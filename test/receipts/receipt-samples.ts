/** Sample keys, scope and receipts for the tests of this folder. */
import type { ReceiptBody, ReceiptScope } from "../../src/contracts/receipt.ts";
import { digestText } from "../../src/receipts/digest.ts";
import { createScopeKeys, type ScopeKeys } from "../../src/receipts/receipt-scope.ts";
import type { UnsignedReceipt } from "../../src/receipts/sign.ts";

export const masters: ReadonlyMap<string, Uint8Array> = new Map([
  ["k1", new Uint8Array(32).fill(1)],
  ["k2", new Uint8Array(32).fill(2)],
]);

export const sampleKeys = (active = "k1"): ScopeKeys => createScopeKeys({ active, masters });

export const sampleScope: ReceiptScope = {
  tenant: "acme",
  conversation: "conv_0123456789abcdef",
  scopeId: "conv_0123456789abcdef",
  salt: new Uint8Array(16).fill(9),
};

export const unsignedReceipt = (changes: Partial<UnsignedReceipt> = {}): UnsignedReceipt => ({
  tenant: sampleScope.tenant,
  conversation: sampleScope.conversation,
  turn: "turn_1",
  call: "call_1",
  seq: 1,
  tool: "calculator",
  tool_def: digestText("definition"),
  args: digestText('{"expression":"1+1"}'),
  result: digestText("2"),
  result_chars: 1,
  shown: digestText("2"),
  at: 1_774_608_496,
  prev: "genesis",
  ...changes,
});

/** Every field of a body with another value of its type; the compiler asks for all of them. */
export const otherValues: { readonly [Field in keyof ReceiptBody]: unknown } = {
  v: 2,
  kid: "k2",
  tenant: "acme2",
  conversation: "conv_fedcba9876543210",
  turn: "turn_2",
  call: "call_2",
  seq: 2,
  tool: "calculatoR",
  tool_def: digestText("other definition"),
  args: digestText("{}"),
  result: digestText("3"),
  result_chars: 2,
  shown: digestText("3"),
  at: 1_774_608_497,
  prev: digestText("another"),
};
