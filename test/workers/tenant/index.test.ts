/** The tenant's index, roster and inbox, in a Durable Object. */
import { describeTenantIndex } from "../../support/tenant-index-suite.ts";
import { withObjectDatabase } from "../storage/object-database.ts";

describeTenantIndex(withObjectDatabase, 15);
