/** Crashes and orders of transactions, in a Durable Object. */
import { describeStoredCrashes } from "../../support/storage-crash-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredCrashes(withObjectDatabase, 15);
