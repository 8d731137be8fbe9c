/** The tenant's budget, in a Durable Object. */
import { describeTenantBudget } from "../../support/tenant-budget-suite.ts";
import { withObjectDatabase } from "../storage/object-database.ts";

describeTenantBudget(withObjectDatabase, 15);
