/** The tenant's index, roster and inbox, on node:sqlite. */
import { withNodeDatabase } from "../../support/node-sql-port.ts";
import { describeTenantIndex } from "../../support/tenant-index-suite.ts";

describeTenantIndex(withNodeDatabase, 200);
