import { formatReward } from './format-quantity.ts';
import { oneLine } from './one-line.ts';
import type { Paint } from './paint.ts';

/** One rollout in the table of scores. */
export interface ScoreRow {
  /** Short name of the item. */
  readonly task: string;
  /** 0-based position in its group. */
  readonly sample: number;
  /** `null` where it was not scored. */
  readonly reward: number | null;
  readonly turns: number;
  readonly stopReason: string;
  /** Why it was not scored; `null` where it was. */
  readonly failure: string | null;
}

/** Options of {@link renderScoreTable}. */
export interface ScoreTableOptions {
  readonly paint: Paint;
  /** Most rows; the rest is told in one line. @default 40 */
  readonly maxRows?: number | undefined;
}

const header = ['task', 'sample', 'reward', 'turns', 'stop reason'] as const;
const isNumber = [false, true, true, true, false] as const;

/** The table of scores, one line per rollout, in the order of `rows`. */
export function renderScoreTable(rows: readonly ScoreRow[], options: ScoreTableOptions): string {
  const { paint, maxRows = 40 } = options;
  const shown = rows.slice(0, maxRows);
  const cells = shown.map(cellsOf);
  const widths = header.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column]?.length ?? 0)));
  const lines = [paint.faint(renderLine(header, widths))];
  for (const [index, row] of shown.entries()) {
    const line = renderLine(cells[index] ?? [], widths);
    lines.push(colourOf(row, paint)(line));
  }
  if (rows.length > shown.length) lines.push(`… and ${rows.length - shown.length} more`);
  return `${lines.join('\n')}\n`;
}

function cellsOf({ task, sample, reward, turns, stopReason, failure }: ScoreRow): readonly string[] {
  return [oneLine(task), String(sample), formatReward(reward), String(turns), oneLine(failure ?? stopReason)];
}

function renderLine(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
    .join('  ')
    .trimEnd();
}

function colourOf({ reward }: ScoreRow, paint: Paint): (text: string) => string {
  if (reward === null || reward <= 0) return paint.bad;
  return reward >= 1 ? paint.good : (text) => text;
}
