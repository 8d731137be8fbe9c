/** Approvals, in a Durable Object. */
import { describeStoredApprovals } from "../../support/storage-approval-suite.ts";
import { describeApprovedCalls } from "../../support/storage-fence-suite.ts";
import { describeWaitingOrders } from "../../support/storage-wait-orders-suite.ts";
import { withObjectDatabase } from "./object-database.ts";

describeStoredApprovals(withObjectDatabase);
describeApprovedCalls(withObjectDatabase);
describeWaitingOrders(withObjectDatabase, 15);
