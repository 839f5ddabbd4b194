type Cell = string | number | null | undefined

/** Rows below a header, in columns as wide as they need; `none` where there are no rows. The last column is not padded. */
export function table(header: readonly string[], rows: readonly (readonly Cell[])[], none: string): string {
  if (rows.length === 0) return none
  const lines = [header, ...rows.map((row) => row.map((cell) => String(cell ?? '') || '-'))]
  const widths = header.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)))
  return lines
    .map((line) =>
      line.map((cell, column) => (column === header.length - 1 ? cell : cell.padEnd(widths[column]!))).join('  '),
    )
    .join('\n')
}
