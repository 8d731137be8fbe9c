/** Says how a conversation goes on after a turn from the terminal, and how its receipts are read. */
import type { ReachedServer } from "./reach-server.ts";
import { defaultPort } from "./read-port.ts";
import { keyInShell } from "./server-key.ts";
import type { TurnArguments } from "./turn-arguments.ts";

/** Lines. A server that was there for this turn alone is gone when they are read, so they name no address of it. */
export function describeNext(
  { port, configFile }: Pick<TurnArguments, "port" | "configFile">,
  { url, keySource, output }: Pick<ReachedServer, "url" | "keySource" | "output">,
  conversation: string,
): readonly string[] {
  const where =
    (port === defaultPort ? "" : ` --port ${port}`) + (configFile === undefined ? "" : ` --config ${configFile}`);
  const goOn = `go on:    npm run turn -- "…" --conversation ${conversation}${where}`;
  if (output !== undefined) return [goOn];
  const receipts = `${url}/v1/conversations/${conversation}/receipts`;
  return [goOn, `receipts: curl -sS ${receipts} -H "Authorization: Bearer ${keyInShell[keySource]}"`];
}
