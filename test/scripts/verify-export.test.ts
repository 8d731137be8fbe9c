/** The offline verifier over a conversation that a real object exported: what holds, that no change passes, and that Python agrees. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest";
import { exportAudit } from "../../durable-objects/audit-verbs.ts";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import { verifyExport } from "../../scripts/lib/verify-export.ts";
import type { AuditEntry } from "../../src/contracts/audit.ts";
import type { ReceiptBody, ReceiptKeys } from "../../src/contracts/receipt.ts";
import { auditOrigin, createAuditHasher, hashAuditRow } from "../../src/receipts/audit-chain.ts";
import { calls, says } from "../support/scripted-provider.ts";
import { openConversation } from "../support/core-fixture.ts";
import { createTool } from "../support/test-tools.ts";

interface Exported {
  tenant: string;
  conversation: string;
  head: { seq: number; hash: string };
  scopes: { scope: string; salt: string }[];
  entries: AuditEntry[];
  receipts: { receipt: string; scope: string; body: ReceiptBody }[];
}

const master = new Uint8Array(32).fill(7);
const keys: ReceiptKeys = { active: "test", masters: new Map([["test", master]]) };
const owner = { tenant: "dev", conversation: "conversation-of-core" };
const folder = mkdtempSync(join(tmpdir(), "countersign-export-"));
const file = (name: string, content: unknown): string => {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify(content));
  return path;
};
let whole: Exported;

beforeAll(async () => {
  const tools = [createTool("works"), createTool("broken", () => ({ success: false, error: "no" }))];
  const conversation = openConversation({ tools, risk: { level: "full" } });
  await conversation.run([calls({ name: "works", args: { n: 1 } }, { name: "broken" }), says("ok")]);
  await conversation.run([
    calls({ name: "works", args: { n: 2 } }, { name: "works", args: { n: 3 } }, { name: "né" }),
    says("ok"),
  ]);
  const store = { sql: conversation.sql, audit: createAuditHasher(owner) };
  whole = await exportAudit({ owner, store }).json<Exported>();
});
afterAll(() => rmSync(folder, { recursive: true }));

const changed = (change: (copy: Exported) => void): Exported => {
  const copy = structuredClone(whole);
  change(copy);
  return copy;
};
const check = (document: unknown, held: ReceiptKeys | undefined = keys) =>
  verifyExport({ document, ...(held === undefined ? {} : { keys: held }) });

/** Links the entries anew, as one who has no key but all the rows can. */
function relink(copy: Exported): void {
  let prev = auditOrigin(copy);
  copy.entries = copy.entries.map((entry, index) => {
    const row = { ...entry, seq: index + 1, prev };
    prev = hashAuditRow(row);
    return { ...row, hash: prev };
  });
  copy.head = { seq: copy.entries.length, hash: prev };
}

describe("what holds", () => {
  test("[AU2][RE7] chain, receipts and signatures, with the keys and without", () => {
    expect(check(whole)).toEqual({ faults: [], entries: 8, receipts: 3, signed: 3, unverifiable: 0 });
    expect(verifyExport({ document: whole })).toMatchObject({ faults: [], signed: 0, unverifiable: 3 });
    for (const announced of [auditOrigin(owner), whole.entries[2]?.hash ?? "", whole.head.hash]) {
      expect(verifyExport({ document: whole, announced }).faults).toEqual([]);
    }
    expect(verifyExport({ document: whole, announced: "0".repeat(64) }).faults).toHaveLength(1);
  });

  test("[RE8][RE2] a removed key and an erased scope leave receipts unverifiable, and are no fault", () => {
    const other: ReceiptKeys = { active: "new", masters: new Map([["new", master]]) };
    expect(check(whole, other)).toMatchObject({ faults: [], signed: 0, unverifiable: 3 });
    expect(check(changed((copy) => (copy.scopes = [])))).toMatchObject({ faults: [], signed: 0, unverifiable: 3 });
  });

  test("[RE9] receipts that are gone with their retention leave those behind them valid", () => {
    const left = changed((copy) => copy.receipts.shift());
    expect(check(left)).toMatchObject({ faults: [], receipts: 2, signed: 2 });
  });
});

const isValid = (document: Exported): boolean => check(document).faults.length === 0;

describe("what does not hold", () => {
  test("[RE7][G15] no field of a receipt can be changed, with the audit chain made to fit or not", () => {
    for (const field of Object.keys(whole.receipts[1]?.body ?? {})) {
      const change = (copy: Exported): void => {
        const stored = copy.receipts[1];
        const body = stored?.body as object as Record<string, unknown>;
        const value = body[field];
        body[field] = typeof value === "number" ? value + 1 : field === "kid" ? "test" : `${String(value)}x`;
        if (field === "kid") body["tool"] = "other";
        for (const entry of copy.entries) {
          if (entry.subject !== stored?.body.call) continue;
          const data = entry.data as object as Record<string, unknown>;
          if (field in data) data[field] = body[field];
        }
      };
      expect([field, isValid(changed(change))]).toEqual([field, false]);
      expect([
        field,
        isValid(
          changed((copy) => {
            change(copy);
            relink(copy);
          }),
        ),
      ]).toEqual([field, false]);
    }
  });

  test("[RE7] no bit of a tag can be flipped", () => {
    const token = whole.receipts[0]?.receipt ?? "";
    const cut = token.lastIndexOf("-", token.length - 43) + 1;
    const tag = Buffer.from(token.slice(token.length - 43), "base64url");
    expect(cut).toBeGreaterThan(0);
    for (let bit = 0; bit < 256; bit += 1) {
      const flipped = Buffer.from(tag);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const forged = token.slice(0, token.length - 43) + flipped.toString("base64url");
      const copy = changed((one) => {
        const [first] = one.receipts;
        if (first !== undefined) first.receipt = forged;
        for (const entry of one.entries) {
          const data = entry.data as object as Record<string, unknown>;
          if (data["receipt"] === token) data["receipt"] = forged;
        }
        relink(one);
      });
      expect(check(copy).faults.join()).toContain("is not signed");
    }
  });

  test.each<readonly [string, (copy: Exported) => unknown]>([
    ["an entry dropped", (copy: Exported) => copy.entries.splice(2, 1)],
    ["the last entry dropped", (copy: Exported) => copy.entries.pop()],
    ["entries exchanged", (copy: Exported) => (copy.entries = copy.entries.toReversed())],
    ["a receipt dropped from the middle", (copy: Exported) => copy.receipts.splice(1, 1)],
    ["receipts exchanged", (copy: Exported) => (copy.receipts = copy.receipts.toReversed())],
    ["a receipt twice", (copy: Exported) => copy.receipts.push(...copy.receipts.slice(-1))],
    ["another tenant", (copy: Exported) => (copy.tenant = "acme")],
    ["another conversation", (copy: Exported) => (copy.conversation = "conversation-elsewhere")],
    [
      "another tenant, linked anew",
      (copy: Exported) => {
        copy.tenant = "acme";
        relink(copy);
      },
    ],
    [
      "another conversation, linked anew",
      (copy: Exported) => {
        copy.conversation = "conversation-elsewhere";
        relink(copy);
      },
    ],
    [
      "a disposition changed, linked anew",
      (copy: Exported) => {
        Object.assign(copy.entries.find(({ data }) => data["disposition"] === "succeeded")?.data ?? {}, {
          disposition: "failed",
        });
        relink(copy);
      },
    ],
    [
      "receipt entries taken out, linked anew",
      (copy: Exported) => {
        copy.entries = copy.entries.filter(({ kind }) => kind !== "receipt");
        relink(copy);
      },
    ],
    [
      "another salt",
      (copy: Exported) => (copy.scopes = copy.scopes.map(({ scope }) => ({ scope, salt: "A".repeat(22) }))),
    ],
  ])("[AU2][G15] %s", (_what, change) => {
    expect(isValid(changed(change))).toBe(false);
  });

  test("[AU2] no member of any entry", () => {
    for (const [index, entry] of whole.entries.entries()) {
      for (const [name, value] of Object.entries(entry)) {
        const other =
          typeof value === "number"
            ? value + 1
            : typeof value === "string"
              ? `${value}x`
              : { ...(value as object), more: 1 };
        const copy = changed((one) => Object.assign(one.entries[index] ?? {}, { [name]: other }));
        expect([index, name, isValid(copy)]).toEqual([index, name, false]);
      }
    }
  });

  test("[AU2] what is no export is a fault, and nothing is thrown", () => {
    for (const document of [null, [], {}, { ...whole, more: 1 }, { ...whole, format: "other" }]) {
      expect(check(document).faults.length).toBeGreaterThan(0);
    }
  });
});

describe("the command", () => {
  const run = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      [join(projectRoot, "scripts/countersign.ts"), ...args],
      { encoding: "utf8" },
    );
    return { stdout, stderr, status };
  };
  const keyFile = () => file("keys.json", { test: Buffer.from(master).toString("base64url") });

  test("[AU2] says what was checked; its exit code says whether all of it holds", () => {
    const good = run("verify", file("good.json", whole), "--keys", keyFile(), "--head", whole.head.hash);
    expect([good.stdout, good.status]).toEqual([
      "8 entries, 3 receipts: 3 signatures hold, 0 were not checked\nvalid\n",
      0,
    ]);
    const bad = run(
      "verify",
      file(
        "bad.json",
        changed((copy) => copy.entries.pop()),
      ),
    );
    expect(bad.stdout).toContain("FAULT the chain does not end at its head\n");
    expect(bad.stdout).toMatch(/\nnot valid\n$/);
    expect(bad.status).toBe(1);
  });

  test("[AU2] a call that makes no sense is exit code 2, with how it is meant", () => {
    for (const args of [
      [],
      ["verify"],
      ["sign", "x"],
      ["verify", join(folder, "none.json")],
      ["verify", "a", "--key", "b"],
    ]) {
      const { status, stderr } = run(...args);
      expect(status).toBe(2);
      expect(stderr).toContain("usage: npx countersign verify FILE");
    }
  });

  test("[AU2] the package names it as its command", () => {
    const { bin } = JSON.parse(readFileSync(join(projectRoot, "package.json"), "utf8")) as {
      bin: Record<string, string>;
    };
    expect(bin).toEqual({ countersign: "scripts/countersign.ts" });
    expect(readFileSync(join(projectRoot, "scripts/countersign.ts"), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  });
});

describe("written a second time, in Python", () => {
  /** Without Python there is no second opinion, and that is said, not passed over. */
  const python = (context: TestContext, ...args: string[]): unknown => {
    const { stdout, stderr, error, status } = spawnSync(
      "python3",
      [join(projectRoot, "test/receipts/verify.py"), ...args],
      { encoding: "utf8" },
    );
    if (error !== undefined) {
      console.warn("python3 is not installed: the second implementation of verification was NOT run");
      context.skip("python3 is not installed: the second implementation of verification was not run");
    }
    if (status !== 0) throw new Error(stderr);
    return JSON.parse(stdout);
  };

  test("[RE3] every frozen vector is valid to it, too", (context) => {
    const verdicts = python(context, "vectors", join(projectRoot, "test/receipts/vectors.json")) as string[];
    expect(verdicts.length).toBeGreaterThanOrEqual(20);
    expect(new Set(verdicts)).toEqual(new Set(["valid"]));
  });

  test("[AU2] it agrees on the export, as it is and changed", (context) => {
    const held = file("masters.json", { test: Buffer.from(master).toString("base64url") });
    const ask = (name: string, document: Exported) => python(context, "export", file(name, document), held);
    expect(ask("whole.json", whole)).toEqual({ faults: [], signed: 3 });
    expect(
      ask(
        "short.json",
        changed((copy) => copy.entries.pop()),
      ),
    ).toMatchObject({ faults: ["head"] });
    const forged = changed((copy) => Object.assign(copy.receipts[1]?.body ?? {}, { result: "0".repeat(64) }));
    expect(ask("forged.json", forged)).toEqual({ faults: ["receipt 2"], signed: 2 });
    expect(
      ask(
        "erased.json",
        changed((copy) => (copy.scopes = [])),
      ),
    ).toEqual({ faults: [], signed: 0 });
  });
});
