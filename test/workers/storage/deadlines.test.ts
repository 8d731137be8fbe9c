/** Deadlines, in a Durable Object. */
import { describeDeadlines } from "../../support/storage-deadline-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeDeadlines(withObjectDatabase);
