/** Turns, their events and receipts, on node:sqlite. */
import { describeStoredTurns } from "../support/storage-turn-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredTurns(withNodeDatabase);
