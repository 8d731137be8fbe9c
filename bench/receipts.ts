/** `npm run bench:receipts`: microseconds that one receipt takes in workerd, by the size of its result, and what share of a turn that is. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loopbackHost } from "../scripts/lib/free-port.ts";
import { buildBundle } from "./lib/build-bundle.ts";
import { formatTable } from "./lib/format-table.ts";
import { createCostMeter } from "./lib/process-cost.ts";
import { type RunningWorkerd, startWorkerd } from "./lib/start-workerd.ts";

/** Bytes of a result, and how many receipts make a load long enough for a clock of 10 ms. */
const loads = [
  { bytes: 200, times: 20_000 },
  { bytes: 4096, times: 10_000 },
  { bytes: 65_536, times: 2000 },
  { bytes: 1_048_576, times: 300 },
] as const;

const { values } = parseArgs({ options: { "turn-ms": { type: "string", default: "4.3" } } });

async function sign({ port }: RunningWorkerd, bytes: number, times: number): Promise<void> {
  const response = await fetch(`http://${loopbackHost}:${port}/bench/receipts?bytes=${bytes}&times=${times}`);
  if (!response.ok) throw new Error(`the Worker answered ${response.status}`);
  await response.text();
}

const directory = mkdtempSync(join(tmpdir(), "countersign-bench-"));
try {
  const server = await startWorkerd({ bundle: buildBundle(directory, { minify: true }), directory, forPerf: false });
  const meter = createCostMeter(server.group);
  const rows = [];
  for (const { bytes, times } of loads) {
    await sign(server, bytes, Math.ceil(times / 4));
    const before = meter().cpuMs;
    await sign(server, bytes, times);
    const each = ((meter().cpuMs - before) * 1000) / times;
    rows.push({
      "result bytes": bytes,
      receipts: times,
      "µs each": each,
      "% of a turn": each / Number(values["turn-ms"]) / 10,
    });
  }
  console.log(formatTable(rows));
  await server.stop();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
