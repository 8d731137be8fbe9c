/** Tools for end-to-end tests: a huge result, a slow one, one that counts what it did. */
import { defineTool } from "countersign";

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
