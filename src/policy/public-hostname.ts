/** Public hostnames: which DNS names can belong to the public internet, which resolve to whatever they are told. Rules: SE38. */

const CLOSED_SUFFIXES = [
  "localhost",
  "local",
  "internal",
  "lan",
  "home",
  "corp",
  "intranet",
  "private",
  "test",
  "invalid",
  "onion",
  "arpa",
] as const;

/** Services whose names spell out the address they resolve to, answer with loopback, or change their answer. */
const REBINDING_SERVICES = [
  "1u.ms",
  "127-0-0-1.org.uk",
  "backname.io",
  "fuf.me",
  "getlocal.pro",
  "ipq.co",
  "lacolhost.com",
  "local-ip.co",
  "local-ip.sh",
  "localho.st",
  "localhost.direct",
  "localtest.me",
  "lvh.me",
  "nip.io",
  "rbndr.us",
  "rebind.it",
  "rebind.network",
  "sslip.io",
  "traefik.me",
  "vcap.me",
  "xip.io",
  "xip.name",
  "yoogle.com",
] as const;

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Lower case, without the trailing dot that names the root. */
export const normalizeHost = (host: string): string => host.toLowerCase().replace(/\.$/, "");

/** True for the name itself and everything below it. */
const isUnder = (host: string, name: string): boolean => host === name || host.endsWith(`.${name}`);

/** An exact name, or `*.suffix` for everything below the suffix. `host` is normalised. */
export function matchesHost(entries: readonly string[], host: string): boolean {
  return entries.some((entry) => {
    const name = normalizeHost(entry);
    return name.startsWith("*.") ? host.endsWith(name.slice(1)) : host === name;
  });
}

/** `host` is normalised; `denied` are further names to close, each with all below it. */
export function isPublicHostname(host: string, denied: readonly string[]): boolean {
  const labels = host.split(".");
  if (host.length > 253 || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return false;
  if (/^\d+$/.test(labels.at(-1) ?? "")) return false;
  const closed = [
    ...CLOSED_SUFFIXES,
    ...REBINDING_SERVICES,
    ...denied.map((name) => normalizeHost(name).replace(/^\*\./, "")),
  ];
  return !closed.some((name) => isUnder(host, name));
}
