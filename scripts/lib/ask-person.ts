/** Asks questions at a terminal, one at a time. */
import { createInterface } from "node:readline/promises";

export interface Person {
  /** What was typed; nothing when the terminal was closed or left. */
  readonly ask: (question: string) => Promise<string | undefined>;
}

/** Nobody where input is no terminal. `leave` is called on Ctrl-C, which a terminal in use keeps from being a signal. */
export function findPerson(leave: () => void): Person | undefined {
  const { stdin: input, stdout: output } = process;
  if (!input.isTTY || !output.isTTY) return undefined;
  return {
    ask: async (question) => {
      const terminal = createInterface({ input, output });
      const left = new AbortController();
      terminal.once("close", () => left.abort());
      terminal.once("SIGINT", () => {
        leave();
        terminal.close();
      });
      try {
        return await terminal.question(question, { signal: left.signal });
      } catch {
        return undefined;
      } finally {
        terminal.close();
      }
    },
  };
}
