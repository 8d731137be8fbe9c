/** unpackContent: the blocks of an answer as one text, in their order; what is no text is named by type, size and digest. Rules: EX8, MC14, MC15. */
import { isObject } from "../contracts/json.ts";
import { digestBytes } from "../receipts/digest.ts";

const MOST_LABEL_CHARS = 300;

type Block = { readonly [member: string]: unknown };

/** Blocks that say nothing of what they are count as none. */
export function unpackContent({
  content,
  structuredContent,
}: {
  content?: unknown;
  structuredContent?: unknown;
}): string {
  const blocks = Array.isArray(content) ? content.filter(isObject) : [];
  const hasText = blocks.some(({ type }) => type === "text");
  if (!hasText && structuredContent !== undefined) return JSON.stringify(structuredContent, null, 2);
  return blocks.map(unpackBlock).join("\n");
}

function unpackBlock(block: Block): string {
  switch (block["type"]) {
    case "text":
      return textOf(block["text"]);
    case "image":
    case "audio":
      return `[${block["type"].toUpperCase()}:${label(block["mimeType"])} ${measure(block["data"])}]`;
    case "resource":
      return unpackResource(isObject(block["resource"]) ? block["resource"] : {});
    case "resource_link":
      return `[RESOURCE_LINK:${label(block["uri"])} ${label(block["name"])}]`;
    default:
      return `[${label(block["type"]).toUpperCase()}]`;
  }
}

function unpackResource(resource: Block): string {
  const { uri, mimeType, text, blob } = resource;
  const head = `[RESOURCE:${label(uri)} ${label(mimeType)}`;
  if (typeof text !== "string") return `${head} ${measure(blob)}]`;
  return `${head} ${measureBytes(new TextEncoder().encode(text))}]\n${text}`;
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** One word of a marker: it cannot end it, nor begin another. */
function label(value: unknown): string {
  const words = textOf(value).replace(/[\s[\]]+/g, "_");
  return words === "" ? "unknown" : words.slice(0, MOST_LABEL_CHARS);
}

/** Of data in base64; what is not, is measured as the text that it is. */
function measure(data: unknown): string {
  const text = textOf(data);
  return measureBytes(decodeBase64(text) ?? new TextEncoder().encode(text));
}

const measureBytes = (bytes: Uint8Array): string => `${bytes.length} bytes sha256=${digestBytes(bytes).slice(0, 16)}`;

function decodeBase64(text: string): Uint8Array | undefined {
  try {
    return Uint8Array.from(atob(text), (byte) => byte.charCodeAt(0));
  } catch {
    return undefined;
  }
}
