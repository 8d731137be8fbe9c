/** Charges of model calls, in a Durable Object. */
import { describeCharges } from "../../support/storage-charge-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeCharges(withObjectDatabase);
