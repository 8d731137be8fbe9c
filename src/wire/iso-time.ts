/** Times on the wire: ISO 8601 in UTC with milliseconds, computed without the platform's clock types. */

const dayMs = 86_400_000;

/** `2026-11-01T09:30:00.000Z` for epoch milliseconds of the years 0–9999. */
export function encodeTime(epochMs: number): string {
  const day = Math.floor(epochMs / dayMs);
  const { year, month, date } = civilDate(day);
  const ms = epochMs - day * dayMs;
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(date, 2)}T${clock.map((part) => pad(part, 2)).join(":")}.${pad(ms % 1000, 3)}Z`;
}

/** The proleptic Gregorian date, counting in eras of 400 years that begin on 1 March, so that leap days come last. */
function civilDate(day: number): { readonly year: number; readonly month: number; readonly date: number } {
  const sinceMarch = day + 719_468;
  const era = Math.floor(sinceMarch / 146_097);
  const dayOfEra = sinceMarch - era * 146_097;
  const leaps = Math.floor(dayOfEra / 1460) - Math.floor(dayOfEra / 36_524) + Math.floor(dayOfEra / 146_096);
  const yearOfEra = Math.floor((dayOfEra - leaps) / 365);
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const monthFromMarch = Math.floor((5 * dayOfYear + 2) / 153);
  const date = dayOfYear - Math.floor((153 * monthFromMarch + 2) / 5) + 1;
  const month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9;
  return { year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0), month, date };
}

const pad = (value: number, width: number): string => String(value).padStart(width, "0");
