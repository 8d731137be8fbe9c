/** `npm run vectors -- FILE…`: checks vector files; one line per failing row, then the count; exit code 1 on any failure. Rules: TP81. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { checkVectorLine } from "./lib/check-vector.ts";

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error("usage: npm run vectors -- FILE…");
  process.exit(1);
}

let passed = 0;
let failed = 0;
for (const file of files) {
  const path = resolve(process.env["INIT_CWD"] ?? process.cwd(), file);
  const lines = readLines(path);
  if (lines === undefined) {
    failed += 1;
    console.log(`${file}: cannot be read`);
    continue;
  }
  lines.forEach((line, index) => {
    if (line.trim() === "") return;
    const { id, faults } = checkVectorLine(line);
    if (faults.length === 0) passed += 1;
    else {
      failed += 1;
      console.log(`${id ?? `${file}:${index + 1}`}: ${faults.join("; ")}`);
    }
  });
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

function readLines(path: string): readonly string[] | undefined {
  try {
    return readFileSync(path, "utf8").split("\n");
  } catch {
    return undefined;
  }
}
