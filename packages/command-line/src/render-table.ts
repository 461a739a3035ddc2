/** Lines with columns of equal width; the last column as long as it is. */
export function renderTable(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  faint: (text: string) => string,
): string {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const lines = [header, ...rows].map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  const [title = '', ...rest] = lines;
  return `${[faint(title), ...rest].join('\n')}\n`;
}
