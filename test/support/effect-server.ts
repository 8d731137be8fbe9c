/** A server on loopback that writes down what tools did: an effect that has arrived here has happened, in this order. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";

export interface EffectServer {
  readonly port: number;
  /** Bodies of all requests, as they came. */
  readonly effects: readonly string[];
  /** The `Idempotency-Key` of each request that had one, by its body. */
  readonly keys: ReadonlyMap<string, ReadonlySet<string>>;
  stop(): Promise<void>;
}

/** A request that `holds` is noted and never answered. */
export async function startEffectServer(holds: (body: string) => boolean = () => false): Promise<EffectServer> {
  const effects: string[] = [];
  const keys = new Map<string, Set<string>>();
  const server = createServer((request, response) => {
    void readText(request).then((body) => {
      effects.push(body);
      const key = request.headers["idempotency-key"];
      if (typeof key === "string") keys.set(body, new Set([...(keys.get(body) ?? []), key]));
      if (!holds(body)) response.end("written");
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    effects,
    keys,
    stop: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
