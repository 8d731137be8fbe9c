/** Tells whether a command line asks how the command is used. */

/** What stands behind `--` is text, whatever it looks like. */
export function asksForHelp(argv: readonly string[]): boolean {
  const end = argv.indexOf("--");
  return (end < 0 ? argv : argv.slice(0, end)).some((word) => word === "--help" || word === "-h");
}
