/** The cursor's grammar, and which of two cursors counts. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decodeCursor, resolveCursor } from "../../src/wire/cursor.ts";

test.each([
  "-1",
  "1e3",
  "0x10",
  "01",
  "9007199254740993",
  "00",
  "+1",
  " 1",
  "1 ",
  "1.0",
  "",
  "１",
  "99999999999999999",
])("[DU29] %j is no cursor", (text) => {
  expect(decodeCursor(text)).toBeUndefined();
  expect(resolveCursor({ lastEventId: undefined, after: text })).toMatchObject({
    ok: false,
    failure: { slug: "invalid-cursor" },
  });
});

test("[DU29] every safe integer from 0 in plain decimal is one", () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (seq) => {
      expect(decodeCursor(String(seq))).toBe(seq);
    }),
  );
});

test("[DU29][SS5] the header wins over the query, and an empty header is absent", () => {
  expect(resolveCursor({ lastEventId: "7", after: "3" })).toEqual({ ok: true, value: 7 });
  expect(resolveCursor({ lastEventId: "", after: "3" })).toEqual({ ok: true, value: 3 });
  expect(resolveCursor({ lastEventId: "", after: undefined })).toEqual({ ok: true, value: undefined });
  expect(resolveCursor({ lastEventId: "x", after: "3" }).ok).toBe(false);
});
