/** Activated tools, on node:sqlite. */
import { describeActivatedTools } from "../support/storage-activated-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeActivatedTools(withNodeDatabase);
