/** The audit chain of a real server: announced by the turn, paged, walked, exported, and verified without the server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { verifyExport } from "../../scripts/lib/verify-export.ts";
import { type ApiClient, createApiClient, freshConversation } from "../support/api-client.ts";
import { type RunningServer, startServer } from "../support/dev-server.ts";

let server: RunningServer;
let client: ApiClient;
beforeAll(async () => {
  server = await startServer();
  client = createApiClient(server);
});
afterAll(() => server.stop());

interface Finished {
  readonly head_hash: string;
  readonly receipts: readonly { readonly call_id: string; readonly receipt: string }[];
  readonly receipt_check: object;
}

test("[AU2][AU1] a turn announces its head; chain and export end with it, and the export verifies on its own", async () => {
  const base = `/v1/conversations/${freshConversation("audit")}`;
  const posted = await client.post(`${base}/turns`, { input: "What is 12*(3+4)?" }, { prefer: "wait=30" });
  const { head_hash: head, receipts, receipt_check: check } = await posted.json<Finished>();
  expect(receipts).toHaveLength(1);
  expect(check).toEqual({ quoted: 0, fabricated: [], claims: [] });
  const page = await (await client.get(`${base}/audit?verify=1`)).json();
  expect(page).toMatchObject({
    entries: [
      { seq: 1, kind: "receipt", subject: receipts[0]?.call_id, data: { receipt: receipts[0]?.receipt } },
      { seq: 2, kind: "disposition", data: { tool: "calculator", tool_origin: "builtin", disposition: "succeeded" } },
    ],
    more: false,
    head_hash: head,
    verification: { verdict: "valid", entries: 2 },
  });
  const exported = await client.get(`${base}/audit?export=1`);
  expect(exported.headers.get("content-disposition")).toMatch(/^attachment; filename="audit-/);
  const document: unknown = await exported.json();
  const expected = { faults: [], entries: 2, receipts: 1, signed: 0, unverifiable: 1 };
  expect(verifyExport({ document, announced: head })).toEqual(expected);
  expect((await client.get("/v1/conversations/nobody-has-this-one/audit?export=1")).status).toBe(404);
});
