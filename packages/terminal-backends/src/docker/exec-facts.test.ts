import { describe, expect, test } from '@jest/globals';
import { type ExecAnswer, type ExecFacts, readExecFacts } from './exec-facts.ts';

type Row = readonly [when: string, answer: readonly [boolean, number, number | null, boolean], facts: ExecFacts];

// As Docker 20.10 and Podman 4.3 answered.
describe.each<readonly [string, readonly Row[]]>([
  [
    'Docker',
    [
      ['before the start', [false, 0, null, false], { pid: 0, exitCode: null }],
      ['as it starts', [true, 0, null, false], { pid: 0, exitCode: null }],
      ['while it runs', [true, 41, null, false], { pid: 41, exitCode: null }],
      ['after the end', [false, 41, 6, false], { pid: 41, exitCode: 6 }],
      ['after a good end', [false, 41, 0, false], { pid: 41, exitCode: 0 }],
      ['where it could not be started', [false, 0, 126, false], { pid: 0, exitCode: 126 }],
    ],
  ],
  [
    'Podman',
    [
      ['before the start', [false, 0, 0, false], { pid: 0, exitCode: null }],
      ['while it runs', [true, 41, 0, false], { pid: 41, exitCode: null }],
      ['after the end, while the exit code is not written down', [false, 41, 0, true], { pid: 41, exitCode: null }],
      ['after the end', [false, 0, 6, true], { pid: null, exitCode: 6 }],
      ['after a good end', [false, 0, 0, true], { pid: null, exitCode: 0 }],
      ['where it could not be started', [false, 0, 127, true], { pid: null, exitCode: 127 }],
    ],
  ],
])('an answer of %s about an exec', (_engine, rows) => {
  test.each(rows)('%s', (_when, [Running, Pid, ExitCode, CanRemove], facts) => {
    const answer: ExecAnswer = { Running, Pid, ExitCode, CanRemove };
    expect(readExecFacts(answer)).toEqual(facts);
  });
});
