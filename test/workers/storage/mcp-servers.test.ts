/** MCP servers, in a Durable Object. */
import { describeMcpServers } from "../../support/storage-mcp-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeMcpServers(withObjectDatabase);
