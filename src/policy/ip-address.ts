/** IP addresses: reads canonical spellings, tells public addresses from all others. Rules: SE36, SE37. */

/** Network and prefix length of everything that is not plain public IPv4. */
const CLOSED_IPV4: readonly (readonly [string, number])[] = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
];

/** The same for IPv6. Whatever embeds an IPv4 address is closed outright: no public host needs to be named that way. */
const CLOSED_IPV6: readonly (readonly [string, number])[] = [
  ["::", 96],
  ["::ffff:0:0", 96],
  ["::ffff:0:0:0", 96],
  ["64:ff9b::", 96],
  ["64:ff9b:1::", 48],
  ["100::", 64],
  ["2001::", 32],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
  ["5f00::", 16],
  ["fc00::", 7],
  ["fe80::", 10],
  ["fec0::", 10],
  ["ff00::", 8],
];

/** An address as 16-bit groups: two for IPv4, eight for IPv6. */
type Groups = readonly number[];

function parseIpv4(text: string): Groups | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = text.split(".").map(Number);
  return [a, b, c, d].every((part) => part <= 255) ? [(a << 8) | b, (c << 8) | d] : undefined;
}

/** Without brackets; a dotted end is read, a zone id is not. */
function parseIpv6(text: string): Groups | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map(parseGroups);
  if (head === undefined) return undefined;
  if (halves.length === 1) return head.length === 8 ? head : undefined;
  if (tail === undefined || head.length + tail.length > 7) return undefined;
  return [...head, ...Array.from({ length: 8 - head.length - tail.length }, () => 0), ...tail];
}

function parseGroups(text: string): Groups | undefined {
  if (text === "") return [];
  const groups: number[] = [];
  for (const part of text.split(":")) {
    const embedded = part.includes(".") ? parseIpv4(part) : undefined;
    if (embedded !== undefined && text.endsWith(part)) groups.push(...embedded);
    else if (/^[0-9a-f]{1,4}$/i.test(part)) groups.push(Number.parseInt(part, 16));
    else return undefined;
  }
  return groups;
}

const parseAddress = (text: string): Groups | undefined => (text.includes(":") ? parseIpv6(text) : parseIpv4(text));

function isWithin(address: Groups, [network, prefix]: readonly [string, number]): boolean {
  const base = parseAddress(network);
  if (base === undefined) throw new Error(`${network} is no network`);
  return base.every((group, index) => {
    const bits = Math.min(16, Math.max(0, prefix - index * 16));
    const mask = (0xffff << (16 - bits)) & 0xffff;
    return ((address[index] ?? 0) & mask) === (group & mask);
  });
}

/** ISATAP hides an IPv4 address behind `0:5efe` or `200:5efe` under any prefix. */
const isIsatap = (address: Groups): boolean => (address[4] === 0 || address[4] === 0x200) && address[5] === 0x5efe;

/** True for dotted IPv4 and IPv6 without brackets, as a URL parser or a resolver writes them. */
export const isAddress = (text: string): boolean => parseAddress(text) !== undefined;

/** False for every special range and for what is no address at all. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text);
  if (address === undefined) return false;
  if (address.length === 2) return !CLOSED_IPV4.some((range) => isWithin(address, range));
  return !isIsatap(address) && !CLOSED_IPV6.some((range) => isWithin(address, range));
}
