/**
 * Cells in columns of one width, a line per row.
 *
 * @param isRight whether a column stands to the right; default: all but the first.
 * @param rule a character for a line below the first row; default: no such line.
 */
export function alignColumns(
  rows: readonly (readonly string[])[],
  isRight: (column: number) => boolean = (column) => column > 0,
  rule = '',
): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, c) => (widths[c] = Math.max(widths[c] ?? 0, cell.length)));
  const pad = (cell: string, c: number): string => (isRight(c) ? cell.padStart(widths[c]) : cell.padEnd(widths[c]));
  const [head, ...body] = rows.map((row) => row.map(pad).join('  ').trimEnd());
  return [head, ...(rule === '' ? [] : [widths.map((width) => rule.repeat(width)).join('  ')]), ...body];
}
