/** Client calls and steering, in a Durable Object. */
import { describeStoredMessages } from "../../support/storage-client-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredMessages(withObjectDatabase);
