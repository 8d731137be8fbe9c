/** describeTool: what a model is told of a tool, wherever it is told. Rules: SC6, SE62, DM2. */
import type { ToolDefinition } from "../contracts/tool.ts";
import { cutAtWord } from "./cut-text.ts";
import { makeInert } from "./inert.ts";

/** Code points of a description that goes along with its schema. */
export const DESCRIPTION_CHARS = 1024;

/** Inert, cut at a word; a blank description becomes the name, since providers refuse an empty one. */
export function describeTool(
  { name, description }: Pick<ToolDefinition, "name" | "description">,
  limit: number,
): string {
  const text = makeInert(description).trim();
  return text === "" ? name : cutAtWord(text, limit);
}
