/** The cost meter, on a process whose cost is known well enough: a child that burns CPU, and one that sleeps. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, test } from "vitest";
import { createCostMeter } from "../../bench/lib/process-cost.ts";

async function costOf(script: string): Promise<{ cpuMs: number; residentBytes: number }> {
  const child = spawn(process.execPath, ["-e", `${script}; console.log("done"); setInterval(() => {}, 1000)`], {
    detached: true,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.pid === undefined) throw new Error("no child");
  await once(child.stdout, "data");
  const cost = createCostMeter(child.pid)();
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(createCostMeter(child.pid)()).toEqual({ cpuMs: 0, residentBytes: 0 });
  return cost;
}

test("CPU is that of the group alone, whatever else runs", async () => {
  const burn = "while (process.cpuUsage().user < 500_000);";
  const burnt = await costOf(burn);
  expect(burnt.cpuMs).toBeGreaterThanOrEqual(490);
  expect((await costOf("")).cpuMs).toBeLessThan(burnt.cpuMs);
});

test("resident memory counts what a process holds", async () => {
  const held = await costOf("globalThis.held = Buffer.alloc(200_000_000, 1)");
  expect(held.residentBytes).toBeGreaterThan(200_000_000);
});
