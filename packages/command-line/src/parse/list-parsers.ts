import { getParser, listParsers } from '@talaria/tool-call-parsers';
import { getReasoningParser, listReasoningParsers } from '@talaria/tool-call-parsers/reasoning';
import { exitCodes } from '../exit-code.ts';
import type { Host } from '../host.ts';
import { paintFor } from '../paint.ts';
import { displayWidth } from './display-cell.ts';
import { visibleJson, visibleLine } from './visible-text.ts';

/** `talaria parse --list`: every parser with its other names and the texts that it goes by. */
export function writeParserList(host: Host, isJson: boolean): number {
  const { faint } = paintFor(host, host.stdout);
  host.stdout.write(
    isJson
      ? encodeLists()
      : `${renderTable(['--parser', 'also', 'a call begins with'], listCallRows(), faint)}
${renderTable(['--reasoning', 'also', 'stands between'], listReasoningRows(), faint)}`,
  );
  return exitCodes.done;
}

function encodeLists(): string {
  return `${visibleJson({
    reason: 'done',
    exit_code: exitCodes.done,
    parsers: listParsers()
      .map(getParser)
      .map(({ name, aliases = [], startMarkers }) => ({ name, aliases, start_markers: startMarkers })),
    reasoning_parsers: listReasoningParsers()
      .map(getReasoningParser)
      .map(({ name, aliases = [], tags = null, startsInReasoning }) => ({
        name,
        aliases,
        tags,
        starts_in_reasoning: startsInReasoning,
      })),
  })}\n`;
}

type Row = readonly [name: string, aliases: string, markers: string];

function listCallRows(): readonly Row[] {
  return listParsers()
    .map(getParser)
    .map(({ name, aliases = [], startMarkers }) => [
      name,
      aliases.join(', '),
      startMarkers.map(visibleLine).join('  '),
    ]);
}

function listReasoningRows(): readonly Row[] {
  return listReasoningParsers()
    .map(getReasoningParser)
    .map(({ name, aliases = [], tags }) => [
      name,
      aliases.join(', '),
      tags === undefined ? '' : `${visibleLine(tags.open)}  ${visibleLine(tags.close)}`,
    ]);
}

function renderTable(header: Row, rows: readonly Row[], faint: (text: string) => string): string {
  const lines = [header, ...rows.map((row) => row.map((cell) => cell || '-'))];
  const widths = header.map((_, column) => Math.max(...lines.map((line) => displayWidth(line[column] ?? ''))));
  const [title = '', ...rest] = lines.map((line) =>
    line
      .map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - displayWidth(cell)))
      .join('  ')
      .trimEnd(),
  );
  return [faint(title), ...rest, ''].join('\n');
}
