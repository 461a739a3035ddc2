import { getParser, listParsers, type ToolCallParser } from '@talaria/tool-call-parsers';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { displayWidth } from './display-cell.ts';
import { visibleJson, visibleLine } from './visible-text.ts';

/** `talaria parse --list`: every parser with its other names and the texts with which a call begins. */
export function writeParserList(host: Host, isJson: boolean): number {
  const parsers = listParsers().map(getParser);
  host.stdout.write(isJson ? encodeList(parsers) : renderList(parsers, paintFor(host, host.stdout).faint));
  return exitCodes.done;
}

function encodeList(parsers: readonly ToolCallParser[]): string {
  return `${visibleJson({
    reason: 'done',
    exit_code: exitCodes.done,
    parsers: parsers.map(({ name, aliases = [], startMarkers }) => ({ name, aliases, start_markers: startMarkers })),
  })}\n`;
}

const header = ['name', 'also', 'a call begins with'] as const;

function renderList(parsers: readonly ToolCallParser[], faint: (text: string) => string): string {
  const rows = parsers.map(({ name, aliases = [], startMarkers }) => [
    name,
    aliases.join(', ') || '-',
    startMarkers.map(visibleLine).join('  ') || '(no marker)',
  ]);
  const widths = header.map((title, column) =>
    Math.max(...[title, ...rows.map((row) => row[column] ?? '')].map(displayWidth)),
  );
  const lines = [faint(renderRow(header, widths)), ...rows.map((row) => renderRow(row, widths))];
  return `${lines.join('\n')}\n`;
}

function renderRow(cells: readonly string[], widths: readonly number[]): string {
  return cells
    .map((cell, column) => cell + ' '.repeat(Math.max(0, (widths[column] ?? 0) - displayWidth(cell))))
    .join('  ')
    .trimEnd();
}
