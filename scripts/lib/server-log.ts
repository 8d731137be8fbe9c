/** Finds, in what a local server wrote, why a provider failed a turn: streams say only that it did. Rules: SE72. */
import { stripVTControlCharacters } from "node:util";
import { z } from "zod";
import { shorten } from "./terminal-text.ts";

const messageChars = 300;

const faultSchema = z.object({
  code: z.literal("provider_fault"),
  provider: z.string(),
  kind: z.string(),
  status: z.int().optional(),
  message: z.string(),
});

/** wrangler puts a label before each line and colours around it. */
function readLine(line: string): unknown {
  const plain = stripVTControlCharacters(line);
  try {
    return JSON.parse(plain.slice(plain.indexOf("{")));
  } catch {
    return undefined;
  }
}

/** One line for each fault that failed a turn, in order. */
export function describeProviderFaults(output: string): readonly string[] {
  return output.split("\n").flatMap((line) => {
    const { success, data } = faultSchema.safeParse(readLine(line));
    if (!success) return [];
    const { provider, kind, status, message } = data;
    const what = status === undefined ? kind : `${kind}, status ${status}`;
    return [`provider ${shorten(provider, 80)}: ${shorten(what, 80)}: ${shorten(message, messageChars)}`];
  });
}
