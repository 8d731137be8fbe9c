/** Ranges of a stored result that nothing can be given of. */
import { expect, test } from "vitest";
import { streamResult } from "../../durable-objects/result-stream.ts";
import type { Problem } from "../../src/contracts/errors.ts";
import { problemHeaders } from "../../src/wire/problem.ts";
import { withNodeDatabase } from "../support/node-sql-port.ts";
import { openFixture, runToolTurn } from "../support/storage-fixture.ts";

/** The refusal of a range of a result of five bytes. */
const refuseRange = (range: string): Promise<Problem> =>
  withNodeDatabase(({ sql }) => {
    const fixture = openFixture(sql);
    runToolTurn(fixture, "one", 1);
    const answer = streamResult({ store: fixture.context }, "call_one_0", range);
    if (answer.ok) throw new Error("the range was served");
    return answer.failure;
  });

test.each(["bytes=5-", "bytes=5-9", "bytes=-0"])("[SE54] %s of five bytes is 416 and says the size", async (range) => {
  const problem = await refuseRange(range);
  expect(problem.slug).toBe("range-not-satisfiable");
  expect(problemHeaders(problem)).toEqual({
    "content-range": "bytes */5",
    "content-type": "application/problem+json",
  });
});
