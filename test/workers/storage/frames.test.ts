/** Frames, in a Durable Object. */
import { describeFrames } from "../../support/storage-frame-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeFrames(withObjectDatabase);
