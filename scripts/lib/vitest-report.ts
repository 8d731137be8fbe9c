/** Counts a vitest run from its JSON report. */
import { readFileSync } from "node:fs";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { status: string }[];
  }[];
}

function readReport(file: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Report;
  } catch {
    return undefined;
  }
}

/** A file that failed without a failed test never got to run them: it counts as one. */
function brokenFiles(report: Report): number {
  return report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  ).length;
}

/** A test that did not run is a failure, unless the caller picked tests by name and so left others out. */
export function countRun(file: string, exitCode: number, pickedByName: boolean): Counts {
  const report = readReport(file);
  if (report === undefined) return { passed: 0, failed: exitCode === 0 ? 0 : 1 };
  const leftOut = pickedByName ? 0 : report.numPendingTests + report.numTodoTests;
  const failed = report.numFailedTests + brokenFiles(report) + leftOut;
  // An unhandled rejection fails the run while every test passed.
  return { passed: report.numPassedTests, failed: failed === 0 && exitCode !== 0 ? 1 : failed };
}
