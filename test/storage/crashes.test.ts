/** Crashes and orders of transactions, on node:sqlite. */
import { describeStoredCrashes } from "../support/storage-crash-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredCrashes(withNodeDatabase, 60);
