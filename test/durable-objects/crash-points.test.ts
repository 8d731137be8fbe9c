/** Every instance dies at every point of every script, and the alarm alone brings each turn to its one end. */
import { describe, expect, test, vi } from "vitest";
import { crashScripts } from "../support/crash-scripts.ts";
import type { CrashScript } from "../support/crash-script.ts";
import { CrashWorld } from "../support/crash-world.ts";
import { expectHistory, expectSameStory, readWireLog } from "../support/history-checker.ts";
import { type Death, isResetNoise } from "../support/mortal.ts";
import { useStillClock } from "../support/suspension-room.ts";

useStillClock();
const patience = 120_000;

/** What the object complained of, but for what its own end made it say. */
function faultsLogged(): readonly unknown[] {
  const lines = vi.mocked(console.error).mock.calls.flat();
  vi.mocked(console.error).mockClear();
  return lines.filter((line) => !isResetNoise(String(line)));
}

async function play(script: CrashScript, deaths: readonly Death[], calm?: CrashWorld): Promise<CrashWorld> {
  const world = new CrashWorld(script, deaths);
  try {
    await world.run();
    expectHistory(world);
    // Nobody says again what was said to an instance that died of it.
    if (calm !== undefined && script.meanwhile === undefined && world.accepted) expectSameStory(world, calm);
    expect(faultsLogged()).toEqual([]);
  } catch (error) {
    throw new Error(`${script.name} with ${JSON.stringify(deaths)}`, { cause: error });
  }
  return world;
}

/** Points of a script that are tried: each of them, or each so-and-so-many-th from an arbitrary one on. */
const stride = Number(process.env["CRASH_STRIDE"] ?? 7);

describe.each(crashScripts.map((script, index) => ({ name: script.name, script, index })))(
  "$name",
  ({ script, index }) => {
    test("[HC1] without a crash", async () => {
      const world = await play(script, []);
      expect(world.accepted).toBe(true);
      // A script whose tools are refused would show nothing.
      const told = readWireLog(world.sql).flatMap((event) => (event.type === "tool_result" ? [event.disposition] : []));
      expect(
        told.filter((disposition) => disposition === "not_available" || disposition === "invalid_arguments"),
      ).toEqual([]);
    });
    test.each(["reset", "kill"] as const)(
      "[G2][DU18][DU20][DU49] %s, everywhere",
      async (mode) => {
        const calm = await play(script, []);
        let at = 1 + (index % stride);
        let tried = 0;
        for (; (await play(script, [{ mode, at }], calm)).crashed; at += stride) tried += 1;
        expect(tried * stride).toBeGreaterThan(10);
      },
      patience,
    );
  },
);
