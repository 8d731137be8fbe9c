/** answerText: an answer's body as the model may read it. Rules: TC25. */
import type { ToolFetchAnswer } from "../contracts/tool.ts";
import { digestBytes } from "../receipts/digest.ts";

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}$/;
const TEXT_TYPE =
  /^(?:text\/.*|.*\+(?:json|xml)|application\/(?:json|xml|javascript|yaml|x-ndjson|x-www-form-urlencoded))$/;

/** The media type without its parameters, in lower case; `""` when the answer names none. */
export const mediaTypeOf = ({ headers }: ToolFetchAnswer): string =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? "";

/** Text as it is; anything else by type, size and the start of its digest. */
export async function answerText(answer: ToolFetchAnswer): Promise<string> {
  const mediaType = mediaTypeOf(answer);
  if (TEXT_TYPE.test(mediaType)) return answer.text();
  const bytes = await answer.bytes();
  if (bytes.length === 0) return "";
  const mime = MEDIA_TYPE.test(mediaType) ? mediaType : "application/octet-stream";
  return `[BINARY:${mime} ${bytes.length} bytes sha256=${digestBytes(bytes).slice(0, 16)}]`;
}
