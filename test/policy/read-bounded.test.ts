/** Bodies of any size, cut anywhere: whole, or let go of at once. */
import { Readable } from "node:stream";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { readBounded } from "../../src/policy/read-bounded.ts";

test("[SE43][SE59] a body is read whole up to its limit and not at all over it, however it is cut", async () => {
  const anyChunks = fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(anyChunks, fc.nat(40), async (chunks, most) => {
      const whole = chunks.flatMap((chunk) => [...chunk]);
      const read = await readBounded(Readable.from(chunks), most);
      expect(read && [...read]).toEqual(whole.length > most ? undefined : whole);
    }),
  );
});

test("[SE43][SE59] what is too large is cancelled where it proves so, and a body that breaks off rejects", async () => {
  let sent = 0;
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1;
      controller.enqueue(new Uint8Array(10));
    },
    cancel: () => {
      cancelled = true;
    },
  });
  expect(await readBounded(endless, 25)).toBeUndefined();
  expect({ cancelled, few: sent <= 4 }).toEqual({ cancelled: true, few: true });
  expect(await readBounded(null, 0)).toEqual(new Uint8Array());
  const broken = new ReadableStream<Uint8Array>({ start: (controller) => controller.error(new Error("gone")) });
  await expect(readBounded(broken, 25)).rejects.toThrow("gone");
});
