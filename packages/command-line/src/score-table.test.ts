import { expect, test } from '@jest/globals';
import { createFakeHost } from '../test/fake-host.ts';
import { paintFor } from './paint.ts';
import { renderScoreTable, type ScoreRow } from './score-table.ts';

const rows: readonly ScoreRow[] = [
  { task: 'greeting', sample: 0, reward: 1, turns: 3, stopReason: 'completed', failure: null },
  { task: 'a', sample: 10, reward: 0, turns: 12, stopReason: 'max_turns', failure: null },
  { task: 'b', sample: 0, reward: null, turns: 1, stopReason: 'model_error', failure: 'the key was refused' },
];
const paint = paintFor(createFakeHost(), createFakeHost().stdout);

test('columns are aligned, and a failure stands where the stop reason would', () => {
  expect(renderScoreTable(rows, { paint })).toMatchInlineSnapshot(`
"task      sample  reward  turns  stop reason
greeting       0   1.000      3  completed
a             10   0.000     12  max_turns
b              0       -      1  the key was refused
"
`);
});

test('a long table ends with what it does not show', () => {
  expect(renderScoreTable(rows, { paint, maxRows: 1 })).toMatch(/greeting.*\n… and 2 more\n$/);
});

test('colours only a terminal that wants them', () => {
  const host = createFakeHost({ isTerminal: true });
  expect(renderScoreTable(rows, { paint: paintFor(host, host.stdout) })).toContain('\u001B[31m');
  const quiet = createFakeHost({ isTerminal: true, variables: { NO_COLOR: '1' } });
  expect(renderScoreTable(rows, { paint: paintFor(quiet, quiet.stdout) })).not.toContain('\u001B');
});
