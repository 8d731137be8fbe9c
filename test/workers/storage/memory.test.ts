/** Memory, in a Durable Object. */
import { describeMemory } from "../../support/storage-memory-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeMemory(withObjectDatabase);
