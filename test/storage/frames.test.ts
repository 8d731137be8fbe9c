/** Frames, on node:sqlite. */
import { withNodeDatabase } from "../support/node-sql-port.ts";
import { describeFrames } from "../support/storage-frame-suite.ts";

describeFrames(withNodeDatabase);
