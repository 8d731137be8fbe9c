/** readBounded: a body's bytes, counted as they come; a length the sender claims is not believed. Rules: SE43, SE59. */
import { joinBytes } from "./join-bytes.ts";

/** The whole body, or nothing when it has more than `most` bytes: then the rest is let go of, not read. Rejects as `body` does. */
export async function readBounded(
  body: AsyncIterable<Uint8Array> | null,
  most: number,
): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body ?? []) {
    size += chunk.length;
    if (size > most) return undefined;
    chunks.push(chunk);
  }
  return joinBytes(chunks);
}
