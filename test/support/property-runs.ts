/** How often a property runs that plays whole turns: a thousand times in CI, less often at a desk. */
export const propertyRuns = (atDesk: number): number => (process.env["CI"] === undefined ? atDesk : 1000);
