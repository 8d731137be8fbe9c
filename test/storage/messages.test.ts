/** Client calls and steering, on node:sqlite. */
import { describeStoredMessages } from "../support/storage-client-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredMessages(withNodeDatabase);
