/** Values as SQL may hold them, in a Durable Object. */
import { describeStoredValues } from "../../support/storage-values-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredValues(withObjectDatabase, 15);
