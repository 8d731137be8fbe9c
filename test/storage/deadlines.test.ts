/** Turns, their events and receipts, on node:sqlite. */
import { describeDeadlines } from "../support/storage-deadline-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeDeadlines(withNodeDatabase);
