import { expect, test } from '@jest/globals';
import { findTarget } from './find-target.ts';

const options = { driver: 'process', builtinNames: ['terminal-test'] } as const;

test.each<[string, string | null, string]>([
  ['terminal-test --steps 1', 'terminal-test', '--steps 1'],
  ['--steps 1 terminal-test', 'terminal-test', '--steps 1'],
  ['--steps=1 terminal-test', 'terminal-test', '--steps=1'],
  ['--json terminal-test --quiet', 'terminal-test', '--json --quiet'],
  ['--allow-local ./env.ts', './env.ts', '--allow-local'],
  ['--no-env.exact --env.seed 4 some-package', 'some-package', '--no-env.exact --env.seed 4'],
  ['--output terminal-test ./env.ts', './env.ts', '--output terminal-test'],
  ['--toolsets terminal file ./env.ts', './env.ts', '--toolsets terminal file'],
  ['--env.own_field x ./env.ts', './env.ts', '--env.own_field x'],
  ['--steps 1', null, ''],
])('%s', (line, target, flags) => {
  const found = findTarget(line.split(' '), options);
  expect(found).toEqual(target === null ? null : { target, flags: flags.split(' ') });
});
