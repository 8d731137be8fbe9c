/** MCP servers, on node:sqlite. */
import { describeMcpServers } from "../support/storage-mcp-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeMcpServers(withNodeDatabase);
