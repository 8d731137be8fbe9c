/** From the places that a text names to IANA time zones. */
import { foldText } from "./clauses.ts";

export interface ZoneMention {
  readonly zone: string;
  /** As the text writes it. */
  readonly place: string;
  readonly index: number;
}

/** Places that are no zone's last name: big cities of zones named after others, countries by their capital's clock, Spanish names. */
const aliases: { readonly [zone: string]: string } = {
  UTC: "utc gmt zulu",
  "Europe/Madrid": "barcelona valencia sevilla seville bilbao malaga zaragoza spain espana",
  "Europe/London": "londres uk england inglaterra manchester edinburgh britain",
  "Europe/Paris": "france francia lyon marseille toulouse",
  "Europe/Berlin": "munich muenchen hamburg frankfurt cologne germany alemania",
  "Europe/Rome": "roma milan milano naples italy italia",
  "Europe/Lisbon": "lisboa porto oporto portugal",
  "Europe/Zurich": "geneva ginebra bern switzerland suiza",
  "Europe/Vienna": "viena austria",
  "Europe/Brussels": "bruselas belgium belgica",
  "Europe/Amsterdam": "rotterdam netherlands holanda",
  "Europe/Stockholm": "estocolmo sweden suecia",
  "Europe/Copenhagen": "copenhague denmark dinamarca",
  "Europe/Warsaw": "varsovia krakow poland polonia",
  "Europe/Athens": "atenas greece grecia",
  "Europe/Moscow": "moscu",
  "Europe/Kyiv": "kyiv kiev",
  "Europe/Dublin": "ireland irlanda",
  "Africa/Cairo": "el_cairo egypt egipto",
  "Asia/Kolkata": "kolkata delhi new_delhi nueva_delhi mumbai bombay bangalore bengaluru chennai hyderabad india",
  "Asia/Shanghai": "beijing pekin shenzhen guangzhou china",
  "Asia/Tokyo": "tokio osaka kyoto japan japon",
  "Asia/Seoul": "seul korea corea",
  "Asia/Singapore": "singapur",
  "Asia/Dubai": "abu_dhabi",
  "Asia/Ho_Chi_Minh": "hanoi saigon ho_chi_minh vietnam",
  "Australia/Sydney": "canberra",
  "America/New_York": "nueva_york nyc washington boston miami atlanta philadelphia",
  "America/Chicago": "houston dallas austin",
  "America/Los_Angeles": "san_francisco seattle las_vegas san_diego portland california",
  "America/Toronto": "ottawa montreal",
  "America/Mexico_City": "ciudad_de_mexico cdmx mexico guadalajara",
  "America/Sao_Paulo": "rio_de_janeiro brasilia brazil brasil",
  "America/Argentina/Buenos_Aires": "buenos_aires argentina",
  "America/Bogota": "medellin colombia",
  "America/Havana": "la_habana cuba",
};

/** Reads the runtime's list of zones once, when the first text needs it. */
export function createZoneFinder(): (text: string) => readonly ZoneMention[] {
  let known: { readonly zones: ReadonlyMap<string, string>; readonly pattern: RegExp } | undefined;
  return (text) => {
    known ??= readZones();
    const { zones, pattern } = known;
    return Array.from(foldText(text).matchAll(pattern), ({ 0: name, index }) => ({
      zone: zones.get(name.replaceAll(/[\s_]+/g, " ")) ?? "UTC",
      place: text.slice(index, index + name.length),
      index,
    })).filter(({ index }) => readsAsPlace(text, index));
  };
}

function readZones() {
  const zones = new Map<string, string>();
  const add = (name: string, zone: string): void => void zones.set(foldText(name).replaceAll("_", " "), zone);
  const listed = Intl.supportedValuesOf("timeZone");
  for (const zone of listed) add(zone.slice(zone.lastIndexOf("/") + 1), zone);
  for (const zone of listed) add(zone, zone);
  for (const [zone, names] of Object.entries(aliases)) {
    add(zone, zone);
    for (const name of names.split(" ")) add(name, zone);
  }
  const names = [...zones.keys()].toSorted((one, other) => other.length - one.length || (one < other ? -1 : 1));
  const alternatives = names.map((name) =>
    name.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`).replaceAll(" ", String.raw`[\s_]+`),
  );
  return { zones, pattern: new RegExp(String.raw`(?<![\w/])(?:${alternatives.join("|")})(?![\w/])`, "g") };
}

/** Some zones are named like ordinary words (Wake, Center): lower case counts only where a place is expected. */
function readsAsPlace(text: string, index: number): boolean {
  const first = text.charAt(index);
  return first !== first.toLowerCase() || /(?:^|\s)(?:in|at|en|for|of|de|para|a)\s+$/i.test(text.slice(0, index));
}
