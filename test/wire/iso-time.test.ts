/** Wire times agree with the platform's own rendering. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encodeTime } from "../../src/wire/iso-time.ts";

test("any time of the years 0 to 9999 reads as the platform writes it", () => {
  fc.assert(
    fc.property(
      fc.date({
        min: new Date("0000-01-01T00:00:00Z"),
        max: new Date("9999-12-31T23:59:59.999Z"),
        noInvalidDate: true,
      }),
      (date) => {
        expect(encodeTime(date.getTime())).toBe(date.toISOString());
      },
    ),
    { numRuns: 1000 },
  );
});

test.each([
  "1970-01-01T00:00:00.000Z",
  "2000-02-29T23:59:59.999Z",
  "2100-03-01T00:00:00.000Z",
  "1969-12-31T23:59:59.999Z",
])("the edge %s", (text) => {
  expect(encodeTime(Date.parse(text))).toBe(text);
});
