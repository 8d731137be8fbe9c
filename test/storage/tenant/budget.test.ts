/** The tenant's budget, on node:sqlite. */
import { withNodeDatabase } from "../../support/node-sql-port.ts";
import { describeTenantBudget } from "../../support/tenant-budget-suite.ts";

describeTenantBudget(withNodeDatabase, 300);
