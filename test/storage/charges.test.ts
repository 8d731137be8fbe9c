/** Charges of model calls, on node:sqlite. */
import { withNodeDatabase } from "../support/node-sql-port.ts";
import { describeCharges } from "../support/storage-charge-suite.ts";

describeCharges(withNodeDatabase);
