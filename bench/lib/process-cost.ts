/** What a process group has cost, read from `/proc`. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

export interface ProcessCost {
  /** Milliseconds of CPU since the start, user and system together; the kernel counts in steps of 10. */
  readonly cpuMs: number;
  /** Bytes of resident memory now. */
  readonly residentBytes: number;
}

/** A process may end while its folder is read. */
function readStat(pid: string): readonly string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The command's name, second of the fields, is in parentheses and may hold blanks.
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  } catch {
    return [];
  }
}

const readSetting = (name: string): number => Number(execFileSync("getconf", [name], { encoding: "utf8" }));

/** Answers the cost of whoever is in `group` at the time. Fields are those of `proc(5)`, counted from the state. */
export function createCostMeter(group: number): () => ProcessCost {
  const ticksPerSecond = readSetting("CLK_TCK");
  const pageBytes = readSetting("PAGESIZE");
  const [groupField, userField, systemField, residentField] = [2, 11, 12, 21];
  return () => {
    const members = readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(readStat)
      .filter((stat) => Number(stat[groupField]) === group);
    const sum = (field: number): number => members.reduce((total, stat) => total + Number(stat[field]), 0);
    return {
      cpuMs: ((sum(userField) + sum(systemField)) * 1000) / ticksPerSecond,
      residentBytes: sum(residentField) * pageBytes,
    };
  };
}
