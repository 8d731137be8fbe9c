/** docs/receipts.md knows every field that is signed and every verdict, and its example is what is signed. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "../../scripts/lib/project-root.ts";
import type { ReceiptVerdict } from "../../src/contracts/receipt.ts";
import { digestJson, digestText } from "../../src/receipts/digest.ts";
import { parseReceiptToken } from "../../src/receipts/format.ts";
import vectors from "./vectors.json" with { type: "json" };

const page = readFileSync(join(projectRoot, "docs/receipts.md"), "utf8");

test("[RE3] each signed field is described", () => {
  const table = page.split("## The body")[1]?.split("\n## ")[0] ?? "";
  const named = new Set(
    Array.from(table.matchAll(/^\| (.+?) \|/gm), ([, cell = ""]) => cell.match(/[a-z_]+/g) ?? []).flat(),
  );
  const fields = Object.keys(vectors.scopes[0]?.receipts[0]?.body ?? {});
  expect(fields.length).toBeGreaterThan(10);
  expect(fields.filter((field) => !named.has(field))).toEqual([]);
});

test("[RE7] each verdict is described", () => {
  const verdicts = {
    valid: true,
    mismatch: true,
    unknown_receipt: true,
    unverifiable: true,
    malformed: true,
  } satisfies Record<ReceiptVerdict["verdict"], true>;
  for (const verdict of Object.keys(verdicts)) expect(page).toContain(`\n| \`${verdict}\``);
});

test("[RE3][RE4] digests made by hand are those that are signed, and the token shown is one", () => {
  const [, written = ""] = /printf %s '(\{.*?\})' \| sha256sum/.exec(page) ?? [];
  expect(digestText(written)).toBe(digestJson(JSON.parse(written)));
  expect(parseReceiptToken(/^zc-receipt-\S+$/m.exec(page)?.[0] ?? "")).toMatchObject({ at: 1_796_133_015 });
});
