/** readPort: `--port` of a command line. */
import { failWith, type Result, succeed } from "../../src/contracts/result.ts";

export const defaultPort = 8787;

/** Fails with a sentence. */
export function readPort(written: string): Result<number, string> {
  const port = Number(written);
  const isPort = /^[0-9]+$/.test(written) && port >= 1 && port <= 65_535;
  return isPort ? succeed(port) : failWith("--port must be 1 to 65535");
}
