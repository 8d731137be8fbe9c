/** Approvals, on node:sqlite. */
import { describeStoredApprovals } from "../support/storage-approval-suite.ts";
import { describeApprovedCalls } from "../support/storage-fence-suite.ts";
import { describeWaitingOrders } from "../support/storage-wait-orders-suite.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";

describeStoredApprovals(withNodeDatabase);
describeApprovedCalls(withNodeDatabase);
describeWaitingOrders(withNodeDatabase, 200);
