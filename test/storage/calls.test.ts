/** Calls and rounds, on node:sqlite. */
import { describeStoredCalls } from "../support/storage-call-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredCalls(withNodeDatabase);
