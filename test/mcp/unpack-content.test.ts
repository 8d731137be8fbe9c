/** What an answer's blocks become: one text, in which whatever is no text is named and can be told from any other. */
import { anything, array, assert, constantFrom, property, record, string } from "fast-check";
import { expect, test } from "vitest";
import { unpackContent } from "../../src/mcp/unpack-content.ts";
import { digestBytes, digestText } from "../../src/receipts/digest.ts";

const base64 = (text: string): string => Buffer.from(text).toString("base64");
const short = (text: string): string => digestText(text).slice(0, 16);

test("[EX8][MC14] every kind of block, in its order", () => {
  const content = [
    { type: "text", text: "one" },
    { type: "image", mimeType: "image/png", data: base64("pixels") },
    { type: "audio", mimeType: "audio/wav", data: base64("waves") },
    { type: "resource", resource: { uri: "file:///a", mimeType: "text/plain", text: "inside" } },
    { type: "resource", resource: { uri: "file:///b", mimeType: "application/pdf", blob: base64("pages") } },
    { type: "resource_link", uri: "file:///c", name: "the c" },
    { type: "hologram" },
    { type: "text", text: "two" },
  ];
  expect(unpackContent({ content, structuredContent: { n: 1 } }).split("\n")).toEqual([
    "one",
    `[IMAGE:image/png 6 bytes sha256=${short("pixels")}]`,
    `[AUDIO:audio/wav 5 bytes sha256=${short("waves")}]`,
    `[RESOURCE:file:///a text/plain 6 bytes sha256=${short("inside")}]`,
    "inside",
    `[RESOURCE:file:///b application/pdf 5 bytes sha256=${short("pages")}]`,
    "[RESOURCE_LINK:file:///c the_c]",
    "[HOLOGRAM]",
    "two",
  ]);
});

test("[EX8][MC14] without a text block the structured content is the text", () => {
  const image = { type: "image", mimeType: "image/png", data: "" };
  expect(unpackContent({ content: [image], structuredContent: { a: [1] } })).toBe('{\n  "a": [\n    1\n  ]\n}');
  expect(unpackContent({ content: [] })).toBe("");
});

test("[MC15] two images of one size are two texts", () => {
  const of = (data: string) =>
    unpackContent({ content: [{ type: "image", mimeType: "image/png", data: base64(data) }] });
  expect(of("black")).not.toBe(of("white"));
});

test("[MC14] always one marker a block, whatever a server calls things", () => {
  const block = record({
    type: constantFrom("image", "audio", "resource_link", "other"),
    mimeType: string(),
    data: string(),
    uri: string(),
    name: anything(),
  });
  assert(
    property(array(block, { minLength: 1, maxLength: 5 }), (content) => {
      const lines = unpackContent({ content }).split("\n");
      expect(lines).toHaveLength(content.length);
      for (const line of lines) expect(line).toMatch(/^\[[^[\]]*\]$/);
    }),
  );
});

test("[MC14] data that is no base64 is measured as it is", () => {
  const text = "%%%";
  const digest = digestBytes(new TextEncoder().encode(text)).slice(0, 16);
  expect(unpackContent({ content: [{ type: "image", data: text }] })).toBe(`[IMAGE:unknown 3 bytes sha256=${digest}]`);
});
