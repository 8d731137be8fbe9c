/** What may be logged of an unexpected exception: where it happened, never what it says. Rules: SE72, SE73. */

const maxFrames = 8;

/** Messages can hold anything that passed through, so only the error's name and its stack frames are kept. */
export function describeFailure(error: Error): { readonly error: string; readonly frames: readonly string[] } {
  const frames = (error.stack ?? "")
    .split("\n")
    .filter((line) => /^\s+at /.test(line))
    .slice(0, maxFrames)
    .map((line) => line.trim());
  return { error: error.name, frames };
}
