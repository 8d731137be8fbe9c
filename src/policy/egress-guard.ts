/** Egress guard: judges every URL that the product is asked to fetch before a byte is sent. Rules: SE33–SE41. */
import { type Result, failWith, succeed } from "../contracts/result.ts";
import type { EgressClass, EgressFault } from "./egress-refusal.ts";
import { isAddress, isPublicAddress } from "./ip-address.ts";
import { isPublicHostname, matchesHost, normalizeHost } from "./public-hostname.ts";

/** The section `egress` of the configuration; hosts in any case, entries with a port as `host:port`. */
export interface EgressRules {
  /** Exact names or `*.suffix`; empty: any public name. */
  readonly allowHosts: readonly string[];
  /** Names closed with all below them. */
  readonly denyHosts: readonly string[];
  /** Exact names or `*.suffix` of the deployment itself, the host of the request in hand among them. */
  readonly ownHosts: readonly string[];
  /** Names that may be asked in plain http. */
  readonly allowHttpHosts: readonly string[];
  readonly allowPorts: readonly string[];
  readonly allowIpLiterals: boolean;
  /** Private hosts for development; without effect in production. */
  readonly devHosts: readonly string[];
  readonly production: boolean;
}

/** The part of `URL` that is looked at. `port` is `""` for the scheme's own. */
export interface ParsedUrl {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: string;
  readonly origin: string;
  readonly href: string;
}
/** The parser of whoever will fetch: judging by another would leave a gap between the two. `undefined` for a failure. */
export type ParseUrl = (raw: string, base?: string) => ParsedUrl | undefined;

/** What may be fetched, spelled as the parser understood it. */
export interface JudgedUrl {
  readonly href: string;
  readonly origin: string;
}

const MOST_URL_CHARACTERS = 8192;
/** C0 controls, space, DEL, backslash: what a parser would drop or turn around. */
// oxlint-disable-next-line no-control-regex -- finding them is the point
const REPAIRED = /[\u0000-\u0020\u007F\\]/;
const RAW_FORM = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([A-Za-z0-9.:@[\]-]+)(?:[/?#]|$)/;

interface Subject {
  readonly parsed: ParsedUrl;
  readonly rules: EgressRules;
  /** Host as written, without user info and port, lower case. */
  readonly rawHost: string;
  readonly userinfo: boolean;
  /** Host as parsed, normalised, without brackets. */
  readonly host: string;
  readonly address: boolean;
  readonly port: string;
  readonly dev: boolean;
}

interface Check {
  readonly class: EgressClass;
  readonly refuses: (subject: Subject) => boolean;
}

/** A host for development is excused from all but these. */
const firstChecks: readonly Check[] = [
  { class: "url", refuses: ({ parsed, rawHost, address }) => !address && parsed.hostname.toLowerCase() !== rawHost },
  {
    class: "scheme",
    refuses: ({ parsed, rules, host, dev }) =>
      !isSchemeAllowed(parsed.protocol, dev || matchesHost(rules.allowHttpHosts, host)),
  },
  { class: "userinfo", refuses: ({ userinfo }) => userinfo },
];

const hostChecks: readonly Check[] = [
  {
    class: "ip_literal",
    refuses: ({ address, host, rules }) => address && !(rules.allowIpLiterals && isPublicAddress(host)),
  },
  { class: "hostname", refuses: ({ address, host, rules }) => !address && !isPublicHostname(host, rules.denyHosts) },
  { class: "own_host", refuses: ({ host, rules }) => matchesHost(rules.ownHosts, host) },
  {
    class: "port",
    refuses: ({ parsed, host, port, rules }) => parsed.port !== "" && !hasEntry(rules.allowPorts, host, port),
  },
  {
    class: "not_allowed",
    refuses: ({ host, rules }) => rules.allowHosts.length > 0 && !matchesHost(rules.allowHosts, host),
  },
];

/** The first check that fails names the class. */
export function judgeUrl(raw: string, rules: EgressRules, parseUrl: ParseUrl): Result<JudgedUrl, EgressFault> {
  const subject = readSubject(raw, rules, parseUrl);
  if (subject === undefined) return failWith({ class: "url" });
  const checks = subject.dev ? firstChecks : [...firstChecks, ...hostChecks];
  const failed = checks.find(({ refuses }) => refuses(subject));
  if (failed !== undefined) return failWith({ class: failed.class });
  return succeed({ href: subject.parsed.href, origin: subject.parsed.origin });
}

/** Nothing is repaired: what the parser would mend before it reads it is no URL here. */
function readSubject(raw: string, rules: EgressRules, parseUrl: ParseUrl): Subject | undefined {
  if (!isCleanText(raw)) return undefined;
  const [, , authority] = RAW_FORM.exec(raw) ?? [];
  if (authority === undefined) return undefined;
  const parsed = parseUrl(raw);
  if (parsed === undefined || parsed.href.length > MOST_URL_CHARACTERS) return undefined;
  const rawHost = authority
    .slice(authority.lastIndexOf("@") + 1)
    .replace(/:\d*$/, "")
    .toLowerCase();
  const host = normalizeHost(parsed.hostname).replace(/^\[(.*)\]$/, "$1");
  const port = parsed.port === "" ? (parsed.protocol === "http:" ? "80" : "443") : parsed.port;
  return {
    parsed,
    rules,
    rawHost,
    userinfo: authority.includes("@"),
    host,
    address: isAddress(host),
    port,
    dev: !rules.production && parsed.hostname === rawHost && hasEntry(rules.devHosts, parsed.hostname, port),
  };
}

/** What SE34 forbids anywhere in a URL or a `Location`. */
const isCleanText = (raw: string): boolean =>
  raw.length <= MOST_URL_CHARACTERS && !REPAIRED.test(raw) && raw.isWellFormed();

const isSchemeAllowed = (protocol: string, plainHttp: boolean): boolean =>
  protocol === "https:" || (protocol === "http:" && plainHttp);

const hasEntry = (entries: readonly string[], host: string, port: string): boolean =>
  entries.some((entry) => entry.toLowerCase() === `${host}:${port}`);

/** One answer of class 3xx with a `Location`. */
export interface Redirect {
  readonly location: string;
  readonly from: JudgedUrl;
  readonly method: string;
  /** Redirects followed before this one. */
  readonly followed: number;
}
export interface JudgedRedirect extends JudgedUrl {
  /** True: `Authorization`, cookies and every configured header stay behind. */
  readonly crossOrigin: boolean;
}

const MOST_REDIRECTS = 5;

/** Callbacks follow none, and being POST they get none here. */
export function judgeRedirect(
  redirect: Redirect,
  rules: EgressRules,
  parseUrl: ParseUrl,
): Result<JudgedRedirect, EgressFault> {
  const { location, from, method, followed } = redirect;
  const most = method === "GET" || method === "HEAD" ? MOST_REDIRECTS : 0;
  if (followed >= most) return failWith({ class: "redirect" });
  const resolved = isCleanText(location) ? parseUrl(location, from.href) : undefined;
  if (resolved === undefined) return failWith({ class: "url" });
  if (from.href.startsWith("https:") && resolved.protocol !== "https:") return failWith({ class: "scheme" });
  const judged = judgeUrl(resolved.href, rules, parseUrl);
  return judged.ok ? succeed({ ...judged.value, crossOrigin: judged.value.origin !== from.origin }) : judged;
}
