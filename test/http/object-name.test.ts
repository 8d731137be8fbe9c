/** Object names never collide; the caller's header and minted ids hold what they promise. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { callerHeader, decodeCaller, encodeCaller } from "../../src/http/caller-header.ts";
import { conversationObjectName } from "../../src/http/object-name.ts";
import { mintId } from "../../src/http/random-id.ts";

describe("object names", () => {
  test("[SE15] the documented form, lengths in bytes", () => {
    expect(conversationObjectName("a", "b-c0123456789abcdef")).toBe("c1|1:a,19:b-c0123456789abcdef,");
    expect(conversationObjectName("é", "x")).toBe("c1|2:é,1:x,");
  });

  test("[SE15] two owners never share a name, whatever their ids hold", () => {
    const part = fc
      .array(fc.constantFrom("a", "1", ":", ",", "|", "-", "é"), { maxLength: 6 })
      .map((pieces) => pieces.join(""));
    const owner = fc.tuple(part, part);
    fc.assert(
      fc.property(owner, owner, (one, other) => {
        fc.pre(one.join("\0") !== other.join("\0"));
        expect(conversationObjectName(...one)).not.toBe(conversationObjectName(...other));
      }),
      { numRuns: 2000 },
    );
    expect(conversationObjectName("a", "b-c0123456789abcdef")).not.toBe(
      conversationObjectName("a-b", "c0123456789abcdef"),
    );
  });
});

test("[SE17] any caller survives the header, which is ASCII", () => {
  const text = fc.string({ unit: "binary" });
  fc.assert(
    fc.property(text, text, (subject, requestId) => {
      const principal = { tenant: "dev", subject, channel: "http", scopes: ["admin"] };
      const caller = { principal, conversation: "conv_0123456789abcdef", requestId };
      const header = encodeCaller(caller);
      expect(header).toMatch(/^[\x20-\x7e]+$/);
      expect(decodeCaller(new Headers({ [callerHeader]: header }))).toEqual(caller);
    }),
  );
  expect(decodeCaller(new Headers())).toBeUndefined();
});

test("[SE16] minted ids use the whole alphabet evenly enough to have no favourite", () => {
  const counts = new Map<string, number>();
  for (let made = 0; made < 20_000; made += 1) {
    for (const character of mintId("conv_").slice(5)) counts.set(character, (counts.get(character) ?? 0) + 1);
  }
  const mean = (20_000 * 22) / 62;
  expect(counts.size).toBe(62);
  // A byte taken modulo 62 without drawing again would favour eight characters by a fifth; chance alone strays by a hundredth.
  for (const count of counts.values()) expect(Math.abs(count - mean)).toBeLessThan(mean * 0.1);
});
