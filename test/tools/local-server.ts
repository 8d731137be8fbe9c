/** A real HTTP server on 127.0.0.1 that keeps what it was sent, for tests of fetching tools. */
import { once } from "node:events";
import { type IncomingMessage, type ServerResponse, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { EgressRules } from "../../src/policy/egress-guard.ts";

export interface LocalServer {
  readonly url: string;
  /** `host:port`, as `egress.dev_hosts` names it. */
  readonly host: string;
  readonly requests: readonly IncomingMessage[];
  close(): Promise<void>;
}

export async function startLocalServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<LocalServer> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    answer(request, response);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `http://${host}`,
    host,
    requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

export function rulesFor(...devHosts: string[]): EgressRules {
  return {
    allowHosts: [],
    denyHosts: [],
    ownHosts: [],
    allowHttpHosts: [],
    allowPorts: [],
    allowIpLiterals: false,
    devHosts,
    production: false,
  };
}
