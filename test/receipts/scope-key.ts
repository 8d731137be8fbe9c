/** The key of a receipt scope, derived by the platform's crypto from the words of the format alone. */
import { hkdfSync } from "node:crypto";
import type { ReceiptScope } from "../../src/contracts/receipt.ts";

function prefixed(text: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(Buffer.byteLength(text));
  return Buffer.concat([length, Buffer.from(text)]);
}

export function scopeKeyOf(master: Uint8Array, { tenant, scopeId, salt }: ReceiptScope): Buffer {
  const info = Buffer.concat([prefixed("receipt/v1"), prefixed(tenant), prefixed(scopeId), salt]);
  return Buffer.from(hkdfSync("sha256", master, "countersign", info, 32));
}
