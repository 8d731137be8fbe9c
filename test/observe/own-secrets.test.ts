/** No spelling of a configured secret gets through, wherever it stands. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createOwnSecrets } from "../../src/observe/own-secrets.ts";

const secret = 'sk-"test"/é+0123456789';
const own = createOwnSecrets([secret, "short"]);
const clean = (text: string): string => own.remove(text);

describe("[SE68] own secrets", () => {
  const hex = Buffer.from(secret).toString("hex");
  test.each([
    ["plain", secret],
    ["JSON-escaped", JSON.stringify(secret).slice(1, -1)],
    ["JSON-escaped with slashes", JSON.stringify(secret).slice(1, -1).replaceAll("/", "\\/")],
    ["percent-encoded", encodeURIComponent(secret)],
    ["percent-encoded in lower case", encodeURIComponent(secret).replaceAll(/%../g, (escape) => escape.toLowerCase())],
    ["hex", hex],
    ["hex in upper case", hex.toUpperCase()],
  ])("%s", (_, spelling) => {
    expect(clean(`before ${spelling} after`)).toBe("before [REDACTED:own] after");
  });

  test("base64, base64url at any alignment, between any neighbours", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 5 }), fc.uint8Array({ maxLength: 5 }), (before, after) => {
        const bytes = Buffer.concat([before, Buffer.from(secret), after]);
        for (const encoding of ["base64", "base64url"] as const) {
          const cleaned = clean(bytes.toString(encoding));
          expect(cleaned).toContain("[REDACTED:own]");
          // What is left besides the neighbours: the characters that share bits with them.
          expect(cleaned.replace("[REDACTED:own]", "").length).toBeLessThanOrEqual(
            ((before.length + after.length) * 4) / 3 + 8,
          );
        }
      }),
    );
  });

  test("a secret of fewer than eight characters is an ordinary word", () => {
    expect(clean("a short word")).toBe("a short word");
  });
});
