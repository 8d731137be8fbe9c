/** `npm run turn`: sends one turn to a local server and shows it as it happens. */
import { randomUUID } from "node:crypto";
import { asksForHelp } from "./lib/asks-for-help.ts";
import { findPerson, type Person } from "./lib/ask-person.ts";
import { decideTurn } from "./lib/decide-turn.ts";
import { describeNext } from "./lib/describe-next.ts";
import { postTurn, type TurnPost, type TurnReport } from "./lib/post-turn.ts";
import { randomBase62 } from "./lib/random-base62.ts";
import { reachServer, type ReachedServer } from "./lib/reach-server.ts";
import { emptyRendering, renderEvent } from "./lib/render-turn.ts";
import { describeProviderFaults } from "./lib/server-log.ts";
import { paintAnsi, paintNothing } from "./lib/terminal-text.ts";
import { readTurnArguments, type TurnArguments, turnUsage } from "./lib/turn-arguments.ts";

const note = (text: string): void => console.error(`countersign: ${text}`);
const noteStart = (url: string): void => note(`nothing runs on ${url}; starting a server for this turn`);

const isColoured = process.stdout.isTTY && !process.env["NO_COLOR"];
const paint = isColoured ? paintAnsi : paintNothing;

/** Returns the printer of one turn's reports; events go to stdout, what happens around them to stderr. */
function createPrinter({ json }: TurnArguments): (report: TurnReport) => void {
  let rendering = emptyRendering;
  return (report) => {
    switch (report.kind) {
      case "event": {
        const rendered = renderEvent(rendering, report.event, paint);
        rendering = rendered.rendering;
        process.stdout.write(json ? `${report.line}\n` : rendered.text);
        return;
      }
      case "interrupted":
        note(`${report.why}; again in ${report.retryMs / 1000} s, after event ${report.after ?? "0"}`);
        return;
      case "refused":
        note(report.why);
        return;
      case "lost":
        note(`given up: ${report.why}. The turn may still be running.`);
    }
  };
}

interface RunTurn {
  readonly settings: TurnArguments;
  readonly server: ReachedServer;
  readonly person: Person | undefined;
  readonly signal: AbortSignal;
}

type LastEvent = Extract<TurnReport, { kind: "event" }>["event"];

/** True when the turn completed, or waits for somebody who is not here. */
async function runTurn({ settings, server, person, signal }: RunTurn): Promise<boolean> {
  const conversation = settings.conversation ?? `cli-${randomBase62(22)}`;
  const print = createPrinter(settings);
  const { url, key, keySource } = server;
  const { text, agent, json } = settings;
  const post = { url, key, conversation, text, agent, idempotencyKey: randomUUID(), signal };
  const say = (line: string): void => (json ? undefined : console.log(line));
  for (let after: string | undefined; ;) {
    const last = await follow({ ...post, after }, print);
    if (last?.type === "turn_finished") {
      say(paint("dim", describeNext(settings, server, conversation).join("\n")));
      return last.outcome === "completed";
    }
    if (last?.type !== "turn_suspended") break;
    const ask = json ? undefined : person?.ask;
    if (!(await decideTurn({ url, key, keySource, conversation, turn: last.turn }, { ask, print: say, signal })))
      return true;
    after = String(last.seq);
  }
  if (signal.aborted)
    note(`no longer watching; the turn goes on in conversation ${conversation} while its server runs`);
  return false;
}

async function follow(post: TurnPost, print: (report: TurnReport) => void): Promise<LastEvent | undefined> {
  let last: LastEvent | undefined;
  for await (const report of postTurn(post)) {
    print(report);
    if (report.kind === "event") last = report.event;
  }
  return last;
}

async function main(argv: readonly string[]): Promise<number> {
  if (asksForHelp(argv)) {
    console.log(turnUsage);
    return 0;
  }
  const parsed = readTurnArguments(argv, process.env["INIT_CWD"] ?? process.cwd());
  if (!parsed.ok) {
    note(`${parsed.failure}\n${turnUsage}`);
    return 1;
  }
  const settings = parsed.value;
  const interrupted = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(signal, () => interrupted.abort());
  const { signal } = interrupted;
  const server = await reachServer({
    port: settings.port,
    configFile: settings.configFile,
    onStart: noteStart,
    onWarning: note,
    signal,
  });
  if (!server.ok) {
    note(server.failure);
    return 1;
  }
  const person = findPerson(() => interrupted.abort());
  const went = await runTurn({ settings, server: server.value, person, signal });
  await server.value.stop();
  // Streams say only that a provider failed; the server's log, which nobody else sees here, says why.
  for (const line of describeProviderFaults(server.value.output?.() ?? "")) note(line);
  return went ? 0 : 1;
}

process.exitCode = await main(process.argv.slice(2));
