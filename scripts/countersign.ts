#!/usr/bin/env node
/** `npx countersign verify FILE`: checks an exported conversation without a server; exit code 1 when something does not hold. Rules: AU2, RE7. */
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { ReceiptKeys } from "../src/contracts/receipt.ts";
import { parseReceiptKeys } from "../src/receipts/receipt-keys.ts";
import { verifyExport } from "./lib/verify-export.ts";

const usage = `usage: npx countersign verify FILE [--keys FILE] [--head HASH]
  FILE    what GET /v1/conversations/{c}/audit?export=1 answered
  --keys  a file with the JSON of RECEIPT_KEYS; without it signatures are not checked
  --head  a head_hash that was announced: it must be in the chain`;

function refuse(reason: string): never {
  console.error(`countersign: ${reason}\n${usage}`);
  process.exit(2);
}

function readArguments() {
  const options = { keys: { type: "string" }, head: { type: "string" } } as const;
  try {
    return parseArgs({ allowPositionals: true, options });
  } catch (fault) {
    return refuse(fault instanceof Error ? fault.message : String(fault));
  }
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return refuse(`${path} cannot be read`);
  }
}

function readDocument(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch {
    return refuse(`${path} is no JSON`);
  }
}

/** Which one signs does not matter here. */
function readKeys(path: string): ReceiptKeys {
  const text = readText(path);
  const named = /"((?:[^"\\]|\\.)+)"\s*:/.exec(text)?.[1];
  const keys = parseReceiptKeys(text, named);
  return keys.ok ? keys.value : refuse(keys.failure.map(({ message }) => `${path} ${message}`).join("; "));
}

const { values, positionals } = readArguments();
const [verb, file, ...more] = positionals;
if (verb !== "verify" || file === undefined || more.length > 0) refuse("only `verify FILE` is known");
const report = verifyExport({
  document: readDocument(file),
  ...(values.keys === undefined ? {} : { keys: readKeys(values.keys) }),
  ...(values.head === undefined ? {} : { announced: values.head }),
});
for (const fault of report.faults) console.log(`FAULT ${fault}`);
const { entries, receipts, signed, unverifiable } = report;
console.log(`${entries} entries, ${receipts} receipts: ${signed} signatures hold, ${unverifiable} were not checked`);
console.log(report.faults.length === 0 ? "valid" : "not valid");
process.exit(report.faults.length === 0 ? 0 : 1);
