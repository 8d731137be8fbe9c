/** What stands below a finished turn. */
import { expect, test } from "vitest";
import { describeNext } from "../../scripts/lib/describe-next.ts";

const conversation = "conversation-0001";
const usual = { port: 8787, configFile: undefined };
const runsOn = { url: "http://127.0.0.1:8787", keySource: "file" } as const;

test("a server that goes on running can be asked for the receipts, with its key where it is kept", () => {
  const [goOn, receipts = ""] = describeNext(usual, runsOn, conversation);
  expect(goOn).toBe(`go on:    npm run turn -- "…" --conversation ${conversation}`);
  expect(receipts).toMatch(
    /^receipts: curl -sS http:\/\/127\.0\.0\.1:8787\/v1\/conversations\/conversation-0001\/receipts /,
  );
  expect(receipts).toContain(".dev.vars");
  const [, given] = describeNext(usual, { ...runsOn, keySource: "environment" }, conversation);
  expect(given).toContain('"Authorization: Bearer $COUNTERSIGN_DEV_KEY"');
});

test("of a server that was there for this turn alone no address is named", () => {
  const lines = describeNext(usual, { ...runsOn, output: () => "" }, conversation);
  expect(lines).toHaveLength(1);
  expect(lines.join()).not.toContain("http");
});

test("what was not left out the first time stands in the next command", () => {
  const [goOn] = describeNext({ port: 9000, configFile: "/a/b.ts" }, runsOn, conversation);
  expect(goOn).toMatch(/ --port 9000 --config \/a\/b\.ts$/);
});
