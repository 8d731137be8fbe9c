/** The clock tool: offsets, weekdays, every zone there is. */
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { currentTime } from "../../../src/tools/builtin/current-time.ts";
import { ok } from "../../../src/tools/tool-result.ts";
import { runTool } from "../run-tool.ts";

const winter = Date.UTC(2026, 11, 1, 11, 22, 33, 999);
const summer = Date.UTC(2026, 6, 1, 23, 30, 0);

test.each([
  [{}, winter, "2026-12-01T11:22:33+00:00 Tuesday UTC"],
  [{ timezone: "UTC" }, winter, "2026-12-01T11:22:33+00:00 Tuesday UTC"],
  [{ timezone: "Europe/Madrid" }, winter, "2026-12-01T12:22:33+01:00 Tuesday Europe/Madrid"],
  [{ timezone: "Europe/Madrid" }, summer, "2026-07-02T01:30:00+02:00 Thursday Europe/Madrid"],
  [{ timezone: "europe/madrid" }, summer, "2026-07-02T01:30:00+02:00 Thursday Europe/Madrid"],
  [{ timezone: "America/St_Johns" }, winter, "2026-12-01T07:52:33-03:30 Tuesday America/St_Johns"],
  [{ timezone: "Pacific/Kiritimati" }, summer, "2026-07-02T13:30:00+14:00 Thursday Pacific/Kiritimati"],
  [{ timezone: "UTC" }, Date.UTC(2026, 0, 1), "2026-01-01T00:00:00+00:00 Thursday UTC"],
])("%j at %i is %s", async (args, now, expected) => {
  expect(await runTool(currentTime, args, { now: () => now })).toEqual(ok(expected));
});

test.each(["Atlantis", "Madrid", "", "+01:00", "Europe/Madrid ", "constructor"])(
  "an unknown zone %j is failed, with what is expected",
  async (timezone) => {
    const result = await runTool(currentTime, { timezone });
    expect(result).toMatchObject({ success: false, error: expect.stringContaining(JSON.stringify(timezone)) });
    expect(result).toMatchObject({ error: expect.stringContaining("IANA") });
  },
);

test("in every zone the text names the instant it was asked at", async () => {
  const zones = fc.constantFrom(...Intl.supportedValuesOf("timeZone"));
  const instants = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2100, 0) });
  await fc.assert(
    fc.asyncProperty(zones, instants, async (timezone, now) => {
      const result = await runTool(currentTime, { timezone }, { now: () => now });
      const output = (result as { output: string }).output.split(" ");
      expect(Date.parse(output[0] ?? "")).toBe(Math.floor(now / 1000) * 1000);
      const localDay = new Date(`${output[0]?.slice(0, 10)}T12:00:00Z`);
      expect(output[1]).toBe(localDay.toLocaleDateString("en-GB", { weekday: "long", timeZone: "UTC" }));
    }),
  );
});
