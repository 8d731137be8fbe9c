/** Image addresses in an input: each passes the egress guard before anything is written of it. Rules: SE33, SE44. */
import type { Problem } from "../contracts/errors.ts";
import type { InputPart } from "../contracts/message.ts";
import { failWith, type Result, succeed } from "../contracts/result.ts";
import { describeEgressRefusal } from "../policy/egress-refusal.ts";
import type { RouteCall } from "./route.ts";

/** The input itself, or the first address in it that may not be reached. */
export function judgeImages(
  { dependencies, host }: Pick<RouteCall, "dependencies" | "host">,
  input: readonly InputPart[],
): Result<readonly InputPart[], Problem> {
  for (const [index, part] of input.entries()) {
    if (part.type !== "image" || !("url" in part)) continue;
    const judged = dependencies.judgeUrl(part.url, host);
    if (!judged.ok) return failWith({ ...blocked, ...blame(judged.failure.class, `input.${index}.url`) });
  }
  return succeed(input);
}

type Blame = Pick<Problem, "members" | "errors">;

const blame = (refusal: Parameters<typeof describeEgressRefusal>[0], path: string): Blame => ({
  members: { class: refusal },
  errors: [{ path, message: describeEgressRefusal(refusal) }],
});

const blocked: Problem = { slug: "egress-blocked", detail: "An address in the input may not be reached from here." };
