/** Schemas of `auth`, `cors` and `egress`: who comes in, what goes out. Rules: CF2, SE6–SE11, SE37–SE43, SE51. */
import { z } from "zod";
import { filledText, listOf, section, webUrl, whole } from "./fields.ts";

const issuerSchema = section({
  issuer: filledText.describe("Value of `iss`, byte for byte."),
  audience: filledText.describe("Value of `aud`."),
  jwks_url: webUrl.describe("Where its keys are."),
  tenant_claim: filledText.describe("Claim that names the tenant."),
  algorithms: listOf(z.enum(["RS256", "ES256", "EdDSA"]))
    .refine((list) => list.length > 0, { error: "needs at least one algorithm" })
    .default(["RS256", "ES256", "EdDSA"])
    .describe("Signatures that are taken."),
  scope_claim: filledText.default("scope").describe("Claim that holds the scopes."),
  channel_claim: filledText.nullable().default(null).describe("Claim that names the channel."),
});

export const authSchema = section({
  issuers: listOf(issuerSchema).prefault([]).describe("Issuers whose tokens are taken."),
  token_ttl_secs: whole(1, 86_400).default(900).describe("Life of a conversation token."),
  ticket_ttl_secs: whole(1, 600).default(60).describe("Life of a ticket for one stream."),
});

const origin = z.string().regex(/^https?:\/\/[^\s/*?#@]+$/, {
  error: "must be an exact origin such as https://app.example.com",
});

export const corsSchema = section({
  allow_origins: listOf(origin).default([]).describe("Origins of pages that may call, exactly as browsers send them."),
});

const hostName = "[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?";
const host = z.string().regex(new RegExp(`^${hostName}$`), { error: "must be a host name without scheme or port" });
const hostOrSuffix = z.string().regex(new RegExp(`^(?:\\*\\.)?${hostName}$`), {
  error: "must be a host name or *.suffix",
});
const hostAndPort = z.string().regex(new RegExp(`^(?:${hostName}|\\[[0-9A-Fa-f:.]+\\]):\\d{1,5}$`), {
  error: "must be written host:port",
});

export const egressSchema = section({
  allow_hosts: listOf(hostOrSuffix).default([]).describe("Hosts that may be reached; empty: any public one."),
  deny_hosts: listOf(hostOrSuffix).default([]).describe("Hosts that may not, besides the built-in list."),
  own_hosts: listOf(hostOrSuffix).default([]).describe("Names of this deployment, which it never calls."),
  allow_http_hosts: listOf(host).default([]).describe("Hosts that may be plain http."),
  allow_ports: listOf(hostAndPort).default([]).describe("Further ports, as host:port."),
  allow_ip_literals: z.boolean().default(false).describe("Let public addresses stand for a host."),
  dev_hosts: listOf(hostAndPort).default([]).describe("Private host:port entries; in development only."),
  max_fetch_bytes: whole(1).default(5_242_880).describe("Size of an answer."),
  resolve: z.enum(["off", "doh"]).default("off").describe("`doh` resolves names first and judges each address."),
});

export type AuthSettings = z.output<typeof authSchema>;
export type CorsSettings = z.output<typeof corsSchema>;
export type EgressSettings = z.output<typeof egressSchema>;
