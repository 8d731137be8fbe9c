/** Tools for end-to-end tests: a huge result, a slow one, one that tells how far it is, two whose effect a server outside sees. */
import { defineTool } from "countersign";
import { z } from "zod";

/** The same text for the same size, with characters of one to four bytes in it. */
export function bigText(chars: number): string {
  const line = "0123456789 àéîõü €uro 日本語 🦜 the quick brown fox\n";
  return line
    .repeat(Math.ceil(chars / line.length))
    .slice(0, chars)
    .toWellFormed();
}

export const bigTextTool = defineTool({
  name: "big_text",
  description: "Gives a text of a length.",
  input: { type: "object", properties: { chars: { type: "integer" } }, required: ["chars"] },
  readOnly: true,
  execute: ({ chars }) => bigText(Number(chars)),
});

export const slowTool = defineTool({
  name: "slow",
  description: "Answers after some milliseconds.",
  input: { type: "object", properties: { ms: { type: "integer" } }, required: ["ms"] },
  execute: async ({ ms }) => {
    await new Promise((resolve) => setTimeout(resolve, Number(ms)));
    return `waited ${Number(ms)} ms`;
  },
});

/** Says how far it is, a second apart. */
const countingTool = defineTool({
  name: "count_up",
  description: "Counts.",
  input: { type: "object", properties: {} },
  readOnly: true,
  execute: async (_args, { progress }) => {
    for (const step of [1, 2]) {
      progress({ step, of: 2 });
      await new Promise((resolve) => setTimeout(resolve, 1000));
    }
    return "counted";
  },
});

/** Posts its note to a server of the test: what arrives there has happened. `note` and `record` differ in the rules that tests have for them; `again` may be run again under its key. */
const effectTool = (name: string, idempotent = false) =>
  defineTool({
    idempotent,
    name,
    description: "Writes a note down.",
    input: z.object({ port: z.int(), note: z.string() }),
    execute: async ({ port, note }, context) => {
      const answer = await context.fetch(`http://127.0.0.1:${port}/`, {
        method: "POST",
        body: note,
        ...(context.idempotencyKey === undefined ? {} : { headers: { "idempotency-key": context.idempotencyKey } }),
      });
      return `${note} is written down (${answer.status})`;
    },
  });

export const testTools = [
  bigTextTool,
  slowTool,
  countingTool,
  effectTool("note"),
  effectTool("record"),
  effectTool("again", true),
] as const;
