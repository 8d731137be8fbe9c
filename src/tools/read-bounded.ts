/** readBounded: a body's bytes, counted as they come out of decompression; a length the sender claims is not believed. Rules: SE43. */

/** The whole body, or nothing when it has more than `most` bytes: then the rest is cancelled, not read. */
export async function readBounded(
  body: ReadableStream<Uint8Array> | null,
  most: number,
): Promise<Uint8Array | undefined> {
  if (body === null) return new Uint8Array();
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    size += next.value.length;
    if (size > most) {
      await reader.cancel();
      return undefined;
    }
    chunks.push(next.value);
  }
  return joinChunks(chunks, size);
}

function joinChunks(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const [first] = chunks;
  if (chunks.length === 1 && first !== undefined) return first;
  const joined = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    joined.set(chunk, at);
    at += chunk.length;
  }
  return joined;
}
