/** Memory, on node:sqlite. */
import { describeMemory } from "../support/storage-memory-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeMemory(withNodeDatabase);
