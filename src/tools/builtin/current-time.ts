/** current_time: the date, time and weekday in one time zone. */
import { z } from "zod";
import { fail, ok } from "../tool-result.ts";
import { defineBuiltin } from "./define-builtin.ts";

/** Intl also takes plain offsets such as `+01:00`, which are no zones. */
const ZONE_NAME = /^[A-Za-z]/;

function formatIn(timezone: string): Intl.DateTimeFormat | undefined {
  if (!ZONE_NAME.test(timezone)) return undefined;
  try {
    return new Intl.DateTimeFormat("en-US", {
      timeZone: timezone,
      calendar: "gregory",
      numberingSystem: "latn",
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
      weekday: "long",
      timeZoneName: "longOffset",
    });
  } catch {
    return undefined;
  }
}

export const currentTime = defineBuiltin({
  name: "current_time",
  title: "Current time",
  description: "Tells the current date, time and weekday in a time zone.",
  input: z.object({
    timezone: z.string().max(64).default("UTC").describe('IANA name, for example "Europe/Madrid"; UTC if left out'),
  }),
  execute({ timezone }, context) {
    const format = formatIn(timezone);
    if (format === undefined)
      return fail(`unknown time zone ${JSON.stringify(timezone)}: expected an IANA name such as "Europe/Madrid"`);
    const parts = new Map(format.formatToParts(context.now()).map(({ type, value }) => [type, value]));
    const part = (type: Intl.DateTimeFormatPartTypes): string => parts.get(type) ?? "";
    const date = `${part("year")}-${part("month")}-${part("day")}`;
    const time = `${part("hour")}:${part("minute")}:${part("second")}`;
    const offset = part("timeZoneName").replace("GMT", "") || "+00:00";
    return ok(`${date}T${time}${offset} ${part("weekday")} ${format.resolvedOptions().timeZone}`);
  },
});
