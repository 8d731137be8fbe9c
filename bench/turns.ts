/** `npm run bench:turns`: how many turns a local workerd takes a second, how long each takes, what each costs. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { loopbackHost } from "../scripts/lib/free-port.ts";
import { buildBundle } from "./lib/build-bundle.ts";
import { type Cells, formatTable } from "./lib/format-table.ts";
import { createCostMeter } from "./lib/process-cost.ts";
import { prepareLoad } from "./lib/run-load.ts";
import { developmentKey, type RunningWorkerd, startWorkerd } from "./lib/start-workerd.ts";
import { deltas, instantProvider, pacedProvider, tokenMs } from "./worker/script.ts";

const longestMs = 235_000;
/** One decimal of a CPU millisecond needs at least so many, since the kernel counts in steps of 10 ms. */
const atLeastTurns = 100;
const warmUp = { agent: instantProvider, conversations: 16, atLeastMs: 2000 };

const { values } = parseArgs({
  options: {
    conversations: { type: "string", default: "1,16,64,256" },
    agents: { type: "string", default: `${instantProvider},${pacedProvider}` },
    seconds: { type: "string", default: "8" },
    "turns-each": { type: "string", default: "20" },
    perf: { type: "boolean", default: false },
  },
});

async function countRowsWritten(port: number): Promise<number> {
  const response = await fetch(`http://${loopbackHost}:${port}/bench/tally`);
  const tally: unknown = await response.json();
  if (typeof tally !== "object" || tally === null || !("rowsWritten" in tally)) throw new Error("there is no tally");
  return Number(tally.rowsWritten);
}

function percentile(ascending: readonly number[], share: number): number {
  return ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * share))] ?? Number.NaN;
}

const commonLoad = (port: number) => ({
  port,
  key: developmentKey,
  turnsOfConversation: Number(values["turns-each"]),
  atLeastTurns,
});

async function measure({ port, group }: RunningWorkerd, agent: string, conversations: number): Promise<Cells> {
  const meter = createCostMeter(group);
  const load = { ...commonLoad(port), agent, conversations };
  const runLoad = await prepareLoad({ ...load, atLeastMs: Number(values.seconds) * 1000 });
  const [costBefore, rowsBefore, ownBefore] = [meter(), await countRowsWritten(port), process.cpuUsage()];
  const result = await runLoad();
  const [cost, own, rows] = [meter(), process.cpuUsage(ownBefore), await countRowsWritten(port)];
  const turns = result.latencies.length;
  return {
    pace: agent === pacedProvider ? `${tokenMs} ms` : "none",
    conversations,
    turns,
    "turns/s": (turns * 1000) / result.elapsedMs,
    "p50 ms": percentile(result.latencies, 0.5),
    "p99 ms": percentile(result.latencies, 0.99),
    "CPU ms/turn": ((cost.cpuMs - costBefore.cpuMs) / turns).toFixed(2),
    "rows/turn": (rows - rowsBefore) / turns,
    "RSS MB": cost.residentBytes / 1_000_000,
    "client CPU ms/turn": ((own.user + own.system) / 1000 / turns).toFixed(2),
  };
}

async function run(directory: string): Promise<void> {
  const bundle = buildBundle(directory, { minify: !values.perf });
  const server = await startWorkerd({ bundle, directory, forPerf: values.perf });
  if (values.perf) console.log(`perf record -g -p ${server.group}`);
  try {
    await (
      await prepareLoad({ ...commonLoad(server.port), ...warmUp })
    )();
    const rows: Cells[] = [];
    for (const agent of values.agents.split(",")) {
      for (const conversations of values.conversations.split(",")) {
        rows.push(await measure(server, agent, Number(conversations)));
      }
    }
    console.log(`A turn: 1 tool call, then ${deltas} deltas of text.\n\n${formatTable(rows)}`);
  } finally {
    await server.stop();
  }
}

const directory = mkdtempSync(join(tmpdir(), "countersign-bench-"));
process.once("exit", () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
setTimeout(() => {
  console.error("the benchmark took too long and was stopped");
  process.exit(1);
}, longestMs).unref();
await run(directory);
