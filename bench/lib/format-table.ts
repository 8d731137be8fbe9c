/** Prints rows of numbers as a table that is Markdown too. */

export type Cells = Readonly<Record<string, string | number>>;

/** The first row's names are the heads; a number has one decimal at most. */
export function formatTable(rows: readonly Cells[]): string {
  const heads = Object.keys(rows[0] ?? {});
  const lines = rows.map((row) => heads.map((head) => formatCell(row[head] ?? "")));
  const widths = heads.map((head, column) => Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const formatLine = (cells: readonly string[]): string =>
    `| ${cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join(" | ")} |`;
  const rule = `|${widths.map((width) => `${"-".repeat(width + 1)}:`).join("|")}|`;
  return [formatLine(heads), rule, ...lines.map(formatLine)].join("\n");
}

const formatCell = (cell: string | number): string =>
  typeof cell === "string" ? cell : String(cell >= 100 ? Math.round(cell) : Math.round(cell * 10) / 10);
