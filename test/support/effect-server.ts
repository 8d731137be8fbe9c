/** A server on loopback that writes down what tools did: an effect that has arrived here has happened, in this order. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export interface EffectServer {
  readonly port: number;
  /** Bodies of all requests, as they came. */
  readonly effects: readonly string[];
  stop(): Promise<void>;
}

export async function startEffectServer(): Promise<EffectServer> {
  const effects: string[] = [];
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      effects.push(body);
      response.end("written");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    effects,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
