/** The scopes that a route may ask for and a principal may hold. Rules: SE14. */
export const scopes = [
  "turns:write",
  "events:read",
  "approvals:decide",
  "receipts:read",
  "conversations:read",
  "conversations:delete",
  "admin",
] as const;
export type Scope = (typeof scopes)[number];
