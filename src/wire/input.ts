/** What a person says to an agent, as it comes over the wire: text, or parts of text and images. Rules: RX11. */
import { z } from "zod";
import type { InputPart } from "../contracts/message.ts";
import { countUtf8 } from "../contracts/utf8-size.ts";

/** Bytes of UTF-8 over all text of one input. */
const maxInputBytes = 256 * 1024;

const textPart = z.strictObject({ type: z.literal("text"), text: z.string().min(1) });
const imagePart = z
  .strictObject({
    type: z.literal("image"),
    url: z.url({ protocol: /^https?$/ }).exactOptional(),
    data: z.base64().min(1).exactOptional(),
    media_type: z.string().regex(/^image\/[a-z0-9.+-]{1,64}$/),
  })
  .refine(({ url, data }) => (url === undefined) !== (data === undefined), {
    message: "an image has either url or data",
  });

const part = z.discriminatedUnion("type", [textPart, imagePart]);
export type WireInput = string | z.infer<typeof part>[];
const isShort = (value: WireInput): boolean => countInputBytes(value) <= maxInputBytes;
const tooLong = { message: "more than 256 KiB of text" };

export const textSchema = z.string().min(1).refine(isShort, tooLong);
export const inputSchema = z.union([z.string().min(1), z.array(part).min(1)]).refine(isShort, tooLong);

export function decodeInput(value: WireInput): readonly InputPart[] {
  if (typeof value === "string") return [{ type: "text", text: value }];
  return value.map(decodePart);
}

function decodePart(wire: z.infer<typeof part>): InputPart {
  if (wire.type === "text") return wire;
  const { type, media_type: mediaType, url, data = "" } = wire;
  return url === undefined ? { type, mediaType, data } : { type, mediaType, url };
}

function countInputBytes(value: WireInput): number {
  if (typeof value === "string") return countUtf8(value);
  return value.reduce((sum, wire) => sum + (wire.type === "text" ? countUtf8(wire.text) : 0), 0);
}
