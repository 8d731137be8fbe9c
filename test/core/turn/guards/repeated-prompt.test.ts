/** What nobody allowed is not asked for twice. */
import { expect, test } from "vitest";
import { type Disposition, dispositions } from "../../../../src/contracts/call.ts";
import { createRepeatedPrompt } from "../../../../src/core/turn/guards/repeated-prompt.ts";

const shell = { repeatGuard: true };
const stops: readonly Disposition[] = ["denied", "expired", "unavailable"];

test.each(dispositions)("[CP16] asked again after %s", (disposition) => {
  const guard = createRepeatedPrompt();
  guard.record("shell {pwd}", disposition);
  expect(guard.refuses("shell {pwd}", shell)).toBe(stops.includes(disposition));
  expect(guard.refuses("shell {ls}", shell)).toBe(false);
});

test("[CP16] a tool without a repeat guard may be asked for again", () => {
  const guard = createRepeatedPrompt();
  guard.record("read {x}", "denied");
  expect(guard.refuses("read {x}", { repeatGuard: false })).toBe(false);
});

test("[RX8] the set comes back from plain JSON", () => {
  const guard = createRepeatedPrompt();
  guard.record("shell {pwd}", "expired");
  const again = createRepeatedPrompt(JSON.parse(JSON.stringify(guard.state())));
  expect(again.refuses("shell {pwd}", shell)).toBe(true);
});
