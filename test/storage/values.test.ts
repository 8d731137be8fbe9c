/** Values as SQL may hold them, on node:sqlite. */
import { describeStoredValues } from "../support/storage-values-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredValues(withNodeDatabase, 60);
