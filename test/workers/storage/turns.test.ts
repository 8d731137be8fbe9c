/** Turns, their events and receipts, in a Durable Object. */
import { describeStoredTurns } from "../../support/storage-turn-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredTurns(withObjectDatabase);
