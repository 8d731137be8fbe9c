/** Loops: what is warned of, what is blocked and for how long, what ends the frame. */
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Disposition, dispositions } from "../../../../src/contracts/call.ts";
import {
  createLoopDetector,
  type LoopDetector,
  type LoopDetectorState,
  type LoopSettings,
  type LoopVerdict,
} from "../../../../src/core/turn/guards/loop-detector.ts";
import type { EndedCall } from "../../../../src/core/turn/guards/loop-record.ts";

const settings = (changes: Partial<LoopSettings> = {}): LoopSettings => ({
  loopDetectionEnabled: true,
  loopDetectionWindowSize: 20,
  loopDetectionMaxRepeats: 3,
  loopIgnoreTools: [],
  ...changes,
});

let outputs = 0;
/** Another output each time, unless one is given. */
const ended = (tool: string, argsDigest: string, changes: Partial<EndedCall> = {}): EndedCall => {
  outputs += 1;
  return { tool, argsDigest, outputDigest: `output ${outputs}`, disposition: "succeeded", success: true, ...changes };
};
/** As a turn does: what is blocked is refused. */
const step = (detector: LoopDetector, call: EndedCall): LoopVerdict | undefined =>
  detector.isBlocked(call.tool, call.argsDigest) ? detector.recordRefused(call) : detector.record(call);
const levels = (detector: LoopDetector, calls: readonly EndedCall[]): (string | undefined)[] =>
  calls.map((call) => step(detector, call)?.level);
const times = (count: number, make: (index: number) => EndedCall): EndedCall[] =>
  Array.from({ length: count }, (_, index) => make(index));

describe("what is recorded", () => {
  test("[LC10] eight identical failures are no loop", () => {
    const failure = { disposition: "failed", success: false } as const;
    expect(
      levels(
        createLoopDetector(settings()),
        times(8, () => ended("t", "a", failure)),
      ),
    ).toEqual(Array.from({ length: 8 }));
  });

  const recorded: readonly Disposition[] = ["succeeded", "replaced", "client_result"];
  test.each(dispositions)("[LC10] %s", (disposition) => {
    const success = recorded.includes(disposition);
    const detector = createLoopDetector(settings());
    detector.record(ended("t", "a", { disposition, success }));
    expect(detector.state().window).toHaveLength(success ? 1 : 0);
  });

  test("[LC10] a client's failure is not recorded", () => {
    const detector = createLoopDetector(settings());
    detector.record(ended("t", "a", { disposition: "client_result", success: false }));
    expect(detector.state().window).toEqual([]);
  });

  test("[LC10] a failure between two calls does not break their row", () => {
    const detector = createLoopDetector(settings());
    const failure = ended("t", "a", { disposition: "failed", success: false });
    const call = (): EndedCall => ended("t", "a");
    expect(levels(detector, [call(), failure, call(), failure, call()])).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      "warn",
    ]);
  });

  test("[LC10] ignored tools, and a detector that is off, say nothing", () => {
    for (const quiet of [settings({ loopIgnoreTools: ["po*"] }), settings({ loopDetectionEnabled: false })]) {
      const detector = createLoopDetector(quiet);
      expect(
        levels(
          detector,
          times(8, () => ended("poll", "a")),
        ),
      ).toEqual(Array.from({ length: 8 }));
      expect(detector.isBlocked("poll", "a")).toBe(false);
    }
  });

  test("[LC13] the window holds the newest records", () => {
    const detector = createLoopDetector(settings({ loopDetectionWindowSize: 3 }));
    for (const args of ["a", "b", "c", "d"]) detector.record(ended("t", args));
    expect(detector.state().window.map(({ argsDigest }) => argsDigest)).toEqual(["b", "c", "d"]);
  });
});

describe("patterns", () => {
  test("[LC12] one call five times: a warning, a block, and the fifth, refused, breaks", () => {
    const detector = createLoopDetector(settings());
    const calls = times(5, () => ended("t", "a"));
    expect(levels(detector, calls)).toEqual([undefined, undefined, "warn", "block", "break"]);
    expect(detector.state().window.at(-1)).toEqual({ tool: "t", argsDigest: "a" });
  });

  test("[LC12] the number of repeats is a setting", () => {
    const detector = createLoopDetector(settings({ loopDetectionMaxRepeats: 1 }));
    expect(
      levels(
        detector,
        times(3, () => ended("t", "a")),
      ),
    ).toEqual(["warn", "block", "break"]);
  });

  test("[LC12] A and B in turns: a warning at 8, a block at 10, a break at 12", () => {
    const detector = createLoopDetector(settings());
    const calls = times(12, (index) => ended(index % 2 === 0 ? "A" : "B", `args ${index}`));
    const seen = calls.map((call) => step(detector, call));
    expect(seen.map((verdict) => verdict?.level)).toEqual([
      ...Array.from({ length: 7 }),
      "warn",
      "warn",
      "block",
      "block",
      "break",
    ]);
    expect(seen[9]).toEqual({ level: "block", pattern: "ping_pong", tool: "B", count: 5 });
  });

  test("[LC12] a third tool or a repeat ends the turns", () => {
    for (const odd of ["C", "B"]) {
      const detector = createLoopDetector(settings());
      const names = ["A", odd, ...Array.from({ length: 7 }, (_, index) => (index % 2 === 0 ? "B" : "A"))];
      expect(
        levels(
          detector,
          names.map((name, index) => ended(name, `${index}`)),
        ),
      ).not.toContain("warn");
    }
  });

  test("[LC12] eight reads with one output: a warning at 5, blocks from 6, no break", () => {
    const detector = createLoopDetector(settings());
    const calls = times(8, (index) => ended("read", `args ${index}`, { outputDigest: "same" }));
    expect(levels(detector, calls)).toEqual([...Array.from({ length: 4 }), "warn", "block", "block", "block"]);
  });

  test("[LC12] no progress is found across other calls, and needs other arguments", () => {
    const scattered = createLoopDetector(settings());
    const mixed = times(9, (index) =>
      index % 2 === 0 ? ended("read", `${index}`, { outputDigest: "same" }) : ended(`other ${index}`, "x"),
    );
    expect(levels(scattered, mixed).at(-1)).toBe("warn");
    const apart = createLoopDetector(settings());
    const repeated = times(9, (index) =>
      index % 2 === 0 ? ended("read", "a", { outputDigest: "same" }) : ended(`other ${index}`, "x"),
    );
    expect(levels(apart, repeated)).toEqual(Array.from({ length: 9 }));
  });

  test("[LC12] an exact repeat is named before no progress", () => {
    const detector = createLoopDetector(settings());
    for (const args of ["x", "y"]) detector.record(ended("t", args, { outputDigest: "same" }));
    const last = times(3, () => ended("t", "z", { outputDigest: "same" }))
      .map((call) => step(detector, call))
      .at(-1);
    expect(last).toEqual({ level: "warn", pattern: "exact_repeat", tool: "t", count: 3 });
  });

  test("[LC11] refused calls make no row of equal outputs", () => {
    const detector = createLoopDetector(settings());
    const refused = times(6, (index) => ended("read", `${index}`)).map((call) => detector.recordRefused(call));
    expect(refused).toEqual(Array.from({ length: 6 }));
  });
});

describe("blocks", () => {
  const blocked = (): LoopDetector => {
    const detector = createLoopDetector(settings());
    for (const call of times(4, () => ended("t", "a"))) detector.record(call);
    return detector;
  };

  test("[LC15][CP13] the repeated call is blocked, and no other", () => {
    const detector = blocked();
    expect(detector.isBlocked("t", "a")).toBe(true);
    expect(detector.isBlocked("t", "b")).toBe(false);
    expect(detector.isBlocked("u", "a")).toBe(false);
  });

  test("[LC15] a warning blocks nothing", () => {
    const detector = createLoopDetector(settings());
    for (const call of times(3, () => ended("t", "a"))) detector.record(call);
    expect(detector.isBlocked("t", "a")).toBe(false);
  });

  test("[LC15] after another tool the blocked call runs again", () => {
    const detector = blocked();
    detector.record(ended("u", "x"));
    expect(detector.isBlocked("t", "a")).toBe(false);
  });

  test.each<[string, (detector: LoopDetector) => void]>([
    ["one that failed", (detector) => detector.record(ended("u", "x", { disposition: "failed", success: false }))],
    [
      "one that was replaced and did not run",
      (detector) => detector.record(ended("u", "x", { disposition: "replaced" })),
    ],
    ["one that was refused", (detector) => detector.recordRefused(ended("u", "x"))],
  ])("[LC15] %s lifts no block", (_, act) => {
    const detector = blocked();
    act(detector);
    expect(detector.isBlocked("t", "a")).toBe(true);
  });

  test("[LC15] all calls of a ping-pong are blocked, all calls without progress too", () => {
    const turns = createLoopDetector(settings());
    for (const call of times(10, (index) => ended(index % 2 === 0 ? "A" : "B", `${index}`))) turns.record(call);
    expect([turns.isBlocked("A", "0"), turns.isBlocked("B", "9"), turns.isBlocked("A", "9")]).toEqual([
      true,
      true,
      false,
    ]);
    const reads = createLoopDetector(settings());
    for (const call of times(6, (index) => ended("read", `${index}`, { outputDigest: "same" }))) reads.record(call);
    expect([reads.isBlocked("read", "0"), reads.isBlocked("read", "6")]).toEqual([true, false]);
  });
});

describe("state", () => {
  const anyCall = fc.record({
    tool: fc.constantFrom("A", "B"),
    argsDigest: fc.constantFrom("1", "2"),
    outputDigest: fc.constantFrom("x", "y"),
    disposition: fc.constantFrom<Disposition>("succeeded", "failed", "replaced", "client_result"),
    success: fc.boolean(),
  });

  test("[LC13][RX8] a detector put away as JSON at any point goes on as if it had stayed", () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 40 }), fc.nat(40), (calls, at) => {
        const stayed = createLoopDetector(settings());
        let moved = createLoopDetector(settings());
        calls.forEach((call, index) => {
          if (index === at) {
            const state = JSON.parse(JSON.stringify(moved.state())) as LoopDetectorState;
            moved = createLoopDetector(settings(), state);
          }
          expect(step(moved, call)).toEqual(step(stayed, call));
        });
      }),
      { numRuns: 1000 },
    );
  });

  test("[LC13] the window never outgrows its size, and what is blocked was recorded", () => {
    fc.assert(
      fc.property(fc.array(anyCall, { maxLength: 60 }), fc.integer({ min: 1, max: 12 }), (calls, size) => {
        const detector = createLoopDetector(settings({ loopDetectionWindowSize: size }));
        for (const call of calls) step(detector, call);
        const { window, blocks } = detector.state();
        expect(window.length).toBeLessThanOrEqual(size);
        const known = calls.map(({ tool, argsDigest }) => ({ tool, argsDigest }));
        for (const block of blocks) expect(known).toContainEqual(block);
      }),
      { numRuns: 1000 },
    );
  });

  test("[LC12] calls that all differ in tool are never a loop", () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom("x", "y"), { maxLength: 30 }), (given) => {
        const detector = createLoopDetector(settings());
        const calls = given.map((outputDigest, index) => ended(`tool ${index}`, "a", { outputDigest }));
        expect(levels(detector, calls)).toEqual(calls.map(() => undefined));
      }),
      { numRuns: 1000 },
    );
  });
});
