/** Signs as the record step does: the digest by the platform above 4 KB, the MAC over the body, then the entry of the audit chain. */
import { systemPorts } from "../../durable-objects/system-ports.ts";
import { createAuditHasher } from "../../src/receipts/audit-chain.ts";
import { createScopeKeys } from "../../src/receipts/receipt-scope.ts";
import { headAfter, signReceipt } from "../../src/receipts/sign.ts";

const owner = { tenant: "bench", conversation: "conversation-bench" };

/** The shown text is the raw one, which is digested once. */
export async function signReceipts(bytes: number, times: number): Promise<string> {
  const keys = createScopeKeys({ active: "k", masters: new Map([["k", new Uint8Array(32)]]) });
  const scope = { ...owner, scopeId: owner.conversation, salt: new Uint8Array(16) };
  const audit = createAuditHasher(owner);
  const raw = new Uint8Array(bytes).fill(97);
  let last = headAfter(undefined);
  let hash = audit.origin;
  for (let made = 0; made < times; made += 1) {
    const result = await systemPorts.digest(raw);
    const { body, token } = signReceipt(keys, scope, {
      ...owner,
      turn: "trn_1",
      call: `call_${made}`,
      ...last,
      tool: "look_up",
      tool_def: result,
      args: result,
      result,
      result_chars: bytes,
      shown: result,
      at: 1_774_608_496,
    });
    last = headAfter({ seq: body.seq, token });
    const data = { turn: body.turn, tool: body.tool, seq: body.seq, receipt: token };
    hash = audit.digest({ seq: made + 1, at: 0, kind: "receipt", subject: body.call, data, prev: hash });
  }
  return hash;
}
