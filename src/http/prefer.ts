/** Reads `Prefer` as far as turns honour it; what is malformed or unknown is ignored, as RFC 7240 says. */

export interface Preferences {
  readonly respondAsync: boolean;
  /** Seconds to wait for the outcome. */
  readonly waitSecs: number;
}

const defaultWaitSecs = 30;
const maxWaitSecs = 120;

export function parsePrefer(header: string | undefined): Preferences {
  const preferences = (header ?? "").split(",").map((preference) => preference.trim().toLowerCase());
  const wait = preferences.map((preference) => /^wait\s*=\s*"?(\d{1,9})"?$/.exec(preference)?.[1]).find(Boolean);
  return {
    respondAsync: preferences.includes("respond-async"),
    waitSecs: wait === undefined ? defaultWaitSecs : Math.min(Number(wait), maxWaitSecs),
  };
}
