import { spawnSync } from 'node:child_process';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { wrapCommand } from './shell-wrapper.ts';

const call = {
  execId: 'e',
  sandboxId: 's',
  limitMark: null,
  cwd: '/',
  missingCwd: 'fail',
  loadFrom: null,
  saveTo: null,
  callVariables: [],
} as const;

function runWrapped(text: string, input = ''): string {
  const wrapped = wrapCommand({ ...call, command: { text } });
  return spawnSync('bash', ['--noprofile', '--norc', '-c', wrapped, 'bash'], { input, encoding: 'utf8' }).stdout;
}

describe('wrapCommand', () => {
  test('is one line, so that bash counts the lines of the command', () => {
    expect(wrapCommand({ ...call, command: { text: 'true' } })).not.toContain('\n');
    expect(runWrapped('echo\nexec 2>&1\nno-such-program')).toContain('bash: line 3: no-such-program');
  });

  test('leaves no word of its own to the command', () => {
    expect(runWrapped('echo "$0 $#"; set | grep -c ^__talaria; declare -F')).toBe('bash 0\n0\n');
  });

  test('passes every text through unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), (text) => {
        fc.pre(!text.includes('\0'));
        const delimiter = 'END_OF_THE_DOCUMENT';
        expect(runWrapped(`cat <<'${delimiter}'\n${text}\n${delimiter}`)).toBe(`${text}\n`);
      }),
      { numRuns: 40 },
    );
  });
});
