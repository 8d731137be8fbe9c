/** Query strings: defaults, ranges, faults by parameter. */
import { describe, expect, test } from "vitest";
import { decodeEventsQuery, decodeReceiptsQuery, decodeBackwardQuery } from "../../src/wire/queries.ts";

const events = (query: string): ReturnType<typeof decodeEventsQuery> => decodeEventsQuery(new URLSearchParams(query));

describe("queries", () => {
  test("defaults and given values", () => {
    expect(events("")).toEqual({ ok: true, value: { limit: 100, waitSecs: 0 } });
    expect(events("turn=trn_7&after=41&limit=1000&wait=120")).toEqual({
      ok: true,
      value: { turn: "trn_7", after: "41", limit: 1000, waitSecs: 120 },
    });
    expect(decodeBackwardQuery(new URLSearchParams("before=9&limit=1"))).toEqual({
      ok: true,
      value: { before: 9, limit: 1 },
    });
    expect(decodeReceiptsQuery(new URLSearchParams())).toEqual({ ok: true, value: { after: 0, limit: 100 } });
  });

  test.each([
    ["limit=0", "limit"],
    ["limit=1001", "limit"],
    ["limit=1e2", "limit"],
    ["limit=", "limit"],
    ["wait=121", "wait"],
    ["wait=-1", "wait"],
    ["afterr=1", "afterr"],
    ["after=1&after=2", "after"],
    ["__proto__=1", "__proto__"],
  ])("%s is a fault at %s", (query, path) => {
    expect(events(query)).toMatchObject({ ok: false, failure: { slug: "invalid-request", errors: [{ path }] } });
  });

  test("[SE16] a turn that no id could be is one that does not exist", () => {
    expect(events("turn=a/b")).toMatchObject({ failure: { slug: "not-found" } });
  });

  test("a page cursor has the grammar of a seq", () => {
    expect(decodeBackwardQuery(new URLSearchParams("before=01"))).toMatchObject({
      failure: { errors: [{ path: "before" }] },
    });
    expect(decodeReceiptsQuery(new URLSearchParams("after=-1"))).toMatchObject({
      failure: { errors: [{ path: "after" }] },
    });
  });
});
