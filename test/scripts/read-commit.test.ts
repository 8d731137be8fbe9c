/** The commit that a folder stands on, as a `git` on the path tells it. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { readCommit } from "../../scripts/lib/read-commit.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "countersign-commit-"));
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A `git` that answers `rev-parse` in this folder alone, with the prefix only when it is asked for. */
function answerWith(prefix: string, commit: string, status = 0): void {
  const script = `#!/bin/sh
[ "$PWD" = "${folder}" ] && [ "$1" = rev-parse ] || exit 9
case "$*" in *--show-prefix*) echo "${prefix}" ;; esac
echo "${commit}"
exit ${status}
`;
  writeFileSync(join(folder, "git"), script, { mode: 0o755 });
  vi.stubEnv("PATH", `${folder}:/bin:/usr/bin`);
}

test("it is known at the root of a checkout", () => {
  answerWith("", "abc1234");
  expect(readCommit(folder)).toBe("abc1234");
});

test("a copy inside somebody else's checkout has none", () => {
  answerWith("vendor/copy/", "abc1234");
  expect(readCommit(folder)).toBeUndefined();
});

test("where there is no checkout, no commit in it, or no git, none is known", () => {
  answerWith("", "HEAD", 128);
  expect(readCommit(folder)).toBeUndefined();
  answerWith("", "HEAD");
  expect(readCommit(folder)).toBeUndefined();
  vi.stubEnv("PATH", join(folder, "nowhere"));
  expect(readCommit(folder)).toBeUndefined();
});
