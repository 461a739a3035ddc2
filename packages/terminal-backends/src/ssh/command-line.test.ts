import { execFileSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { findProgram } from '../local/host-programs.ts';
import { buildCommandLine, startMark } from './command-line.ts';

const shells = ['sh', 'bash', 'dash', 'zsh', 'fish', 'csh'].filter((name) => findProgram(name, process.env['PATH']));

/** What a program gets as its arguments where a login shell is given the line. */
function passThrough(shell: string, words: readonly string[]): string[] {
  return outputOf(shell, ['printf', '%s\\0', ...words])
    .split('\0')
    .slice(0, -1);
}

function outputOf(shell: string, words: readonly string[]): string {
  const output = execFileSync(shell, ['-c', buildCommandLine(words)]).toString('utf8');
  expect(output.startsWith(startMark)).toBe(true);
  return output.slice(startMark.length);
}

const awkward = [
  '',
  ' ',
  '-n',
  '+x',
  '=',
  "it's",
  '"$HOME" `id` $(id)',
  'back\\slash \\n \\0101 %s %b',
  'line\nbreak\n\n',
  'history! !! !$',
  'tab\tcarriage\r',
  'ümläut 🙂',
  '~ * ? [a] {a,b} # & ; | < > ^ (x)',
  '\u0001\u007f',
];

describe.each(shells)('a command line through %s', (shell) => {
  test('hands every word on as it is', () => {
    expect(passThrough(shell, awkward)).toEqual(awkward);
  });

  test('hands any words on as they are', () => {
    const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && text.isWellFormed());
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), (words) => {
        expect(passThrough(shell, words)).toEqual(words);
      }),
      { numRuns: 30 },
    );
  });

  test('runs in the root folder and gives the exit code', () => {
    expect(outputOf(shell, ['pwd'])).toBe('/\n');
    const status = execFileSync('sh', [
      '-c',
      '"$@"; echo $?',
      'sh',
      shell,
      '-c',
      buildCommandLine(['sh', '-c', 'exit 7']),
    ]);
    expect(status.toString()).toBe(`${startMark}7\n`);
  });
});
