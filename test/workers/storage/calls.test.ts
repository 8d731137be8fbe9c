/** Calls and rounds, in a Durable Object. */
import { describeStoredCalls } from "../../support/storage-call-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredCalls(withObjectDatabase);
