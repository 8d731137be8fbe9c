/** Texts put together at random from the pieces of the text protocol. */
import * as fc from "fast-check";

export const KNOWN = ["lamp", "shell", "file_write", "dough_mix"];

const FRAGMENTS = [
  "<tool_call>",
  "</tool_call>",
  "<tool_calls>",
  "<toolcall>",
  "</toolcall>",
  "<tools>",
  "</tools>",
  "<invoke>",
  "</invoke>",
  "<minimax:tool_call>",
  "</minimax:toolcall>",
  "</x>",
  "<think>",
  "</think>",
  "<thi",
  "nk>",
  "<eom>",
  "<|eom|>",
  "<eo",
  '<invoke name="lamp">',
  "<invoke name='",
  '<parameter name="p">',
  "</parameter>",
  "<lamp>",
  "</lamp>",
  "<level>3</level>",
  "```tool_call\n",
  "```tool lamp\n",
  "```json\n",
  "```",
  "``",
  '[TOOL_CALL]{tool => "lamp", args => {--a "b"}}',
  "[/TOOL_CALL]",
  "<FunctionCall>lamp<code>a>b</code></FunctionCall>",
  "<FunctionCall>",
  "<code>",
  "lamp/a>b",
  "shell>id",
  'lamp a="b"',
  "lamp(3)",
  '{"name":"lamp","arguments":{"level":3}}',
  '{"name":"nobody"}',
  '{"name":"file_write","arguments":{"path":"p","content":"a "b""}}',
  '{"tool_calls":[',
  '"function_call"',
  '"arguments":',
  '"tool_call_id":"t"',
  '"output":1',
  '{"a":',
  "{",
  "}",
  "[",
  "]",
  '"',
  "\\",
  ",",
  "example",
  "[Tool results]",
  "<tool_result>",
  "\n",
  " ",
  "words ",
  "1e999",
  "\\ud800",
  "\uD83D",
  "é😀",
  ":",
  "/",
  ">",
  "<",
  "=",
  '="',
];

export const protocolText: fc.Arbitrary<string> = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...FRAGMENTS) }, { weight: 1, arbitrary: fc.string() }), {
    maxLength: 14,
  })
  .map((parts) => parts.join(""));

/** Prose in which nothing could be taken for protocol. */
export const prose: fc.Arbitrary<string> = fc
  .array(fc.constantFrom("Well", " ", "then, ", "so it is.\n", "größer ", "1 + 2 = 3 ", "😀 "), { maxLength: 8 })
  .map((parts) => parts.join(""));

export function cut(text: string, sizes: Iterator<number>): string[] {
  const chunks: string[] = [];
  for (let at = 0; at < text.length;) {
    const size: number = sizes.next().value ?? 1;
    chunks.push(text.slice(at, at + size));
    at += size;
  }
  return chunks;
}

/** A text, and the same text in chunks cut at random places. */
export const cutUp = (text: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; chunks: string[] }> =>
  fc
    .tuple(text, fc.infiniteStream(fc.integer({ min: 1, max: 9 })))
    .map(([whole, sizes]) => ({ text: whole, chunks: cut(whole, sizes) }));

/** Each of the two-chunk cuts of a text, and the cut into single code units. */
export function everyCut(text: string): readonly (readonly string[])[] {
  const inTwo = Array.from({ length: text.length + 1 }, (_, at) => [text.slice(0, at), text.slice(at)]);
  return [...inTwo, text.split("")];
}
