/** Schema of `mcp`: servers, bundles of servers, deferred loading. Rules: CF2, DM1, DM10, MC3, MC7, MW4, MW9. */
import { z } from "zod";
import {
  alias,
  bindingName,
  filledText,
  headers,
  listOf,
  namePattern,
  patterns,
  section,
  userMap,
  webUrl,
  whole,
} from "./fields.ts";
import { toolFlags } from "./tools.ts";

const serverName = z.string().regex(/^(?=.{1,32}$)[A-Za-z][A-Za-z0-9]*(?:[-_][A-Za-z0-9]+)*$/, {
  error: "must be at most 32 letters and digits, in runs joined by single `-` or `_`, and begin with a letter",
});

const transport = z.enum(["http", "sse"], {
  error: ({ input }) =>
    input === "stdio" ? "a Worker cannot start processes, so stdio is not possible; serve it over http" : undefined,
});

const oauthSchema = section({
  type: z.literal("oauth").describe("How it signs in."),
  grant: z.enum(["client_credentials", "authorization_code"]).describe("How a token is got."),
  client_id: filledText.describe("Id of this client at the server."),
  client_secret: bindingName.describe("Name of the secret that holds the client's."),
  scopes: listOf(filledText).default([]).describe("Scopes asked for."),
});

const serverSchema = section({
  name: serverName.describe("Prefix of its tools' names; unique without regard to case."),
  url: webUrl.describe("Where it is; https."),
  transport: transport.default("http").describe("Streamable HTTP, or the older sse."),
  headers: headers.prefault({}).describe("Further headers; may hold ${secret:NAME}."),
  auth: oauthSchema.nullable().prefault(null).describe("OAuth, when the server asks for it."),
  tool_timeout_secs: whole(1, 600).optional().describe("Time for one call; the runtime profile's by default."),
  connect_timeout_secs: whole(1).default(30).describe("Time for the handshake, and again for the listing."),
  catalogue_ttl_secs: whole(0).default(300).describe("Age at which the listing is read again."),
  allowed_tools: patterns.default([]).describe("The server's tools that exist; empty takes all."),
  excluded_tools: patterns.default([]).describe("The server's tools that do not; wins."),
  tools: userMap(namePattern, section(toolFlags))
    .prefault({})
    .describe("Flags for matching tools; the first pattern that matches holds."),
  pins: userMap(filledText, filledText).prefault({}).describe("Expected definition hash, by tool."),
  propagate_trace: z.boolean().default(false).describe("Send the trace context along."),
});

const bundleSchema = section({
  servers: listOf(z.string()).describe("Names of servers."),
  exclude: patterns.default([]).describe("Tools that are out."),
});

export const mcpSchema = section({
  enabled: z.boolean().default(true).describe("Off: no MCP tool exists."),
  deferred_loading: z
    .union([z.boolean(), z.literal("auto")], { error: 'must be true, false or "auto"' })
    .default(false)
    .describe("Tools are found by search; `auto`: when there are many."),
  deferred_auto_min: whole(0).default(30).describe("More MCP tools than this are many."),
  max_activated_tools: whole(1).default(64).describe("Found tools that stay offered in a conversation."),
  elicitation: z
    .enum(["decline", "defaults", "ask"])
    .default("decline")
    .describe("Answer to a server that asks the user."),
  bundles: userMap(alias, bundleSchema).prefault({}).describe("Servers under a name that agents use."),
  servers: listOf(serverSchema).prefault([]).describe("MCP servers."),
});

export type McpSettings = z.output<typeof mcpSchema>;
