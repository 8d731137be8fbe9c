/** Finds out whether a loopback port can be bound, since wrangler's own message for a taken one is a panic. */
import { createServer, type Server } from "node:net";

export const loopbackHost = "127.0.0.1";

function bind(port: number): Promise<Server> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: loopbackHost, exclusive: true }, () => resolve(server));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()));
}

export async function isPortFree(port: number): Promise<boolean> {
  try {
    await close(await bind(port));
    return true;
  } catch {
    return false;
  }
}

/** A port the system just had free. Another process may take it: callers start their server at once. */
export async function findFreePort(): Promise<number> {
  const server = await bind(0);
  const address = server.address();
  await close(server);
  if (address === null || typeof address === "string") throw new Error("the loopback interface gave no port");
  return address.port;
}
