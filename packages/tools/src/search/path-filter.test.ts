import { expect, test } from '@jest/globals';
import { createPathFilter, globProblem } from './path-filter.ts';

test.each([
  ['*.ts', '/r/src/a.ts', true],
  ['*.ts', '/r/src/a.js', false],
  ['*.{ts,js}', '/r/src/a.js', true],
  ['src/*.ts', '/r/src/a.ts', true],
  ['src/*.ts', '/r/src/deep/a.ts', false],
  ['src/**/*.ts', '/r/src/deep/a.ts', true],
  ['./src/*.ts', '/r/src/a.ts', true],
  ['**/deep/*', '/r/src/deep/.a', true],
  ['[ab].ts', '/r/b.ts', true],
  ['!*.ts', '/r/b.js', false],
  ['!*.ts', '/r/!b.ts', true],
  ['/r/src/*.ts', '/r/src/a.ts', true],
  ['(a|b).ts', '/r/a.ts', false],
  ['(a|b).ts', '/r/(a|b).ts', true],
  ['[ab]+.ts', '/r/aa.ts', false],
])('%p and %p: %p', (glob, path, expected) => {
  expect(createPathFilter('/r', glob)(path)).toBe(expected);
});

test.each([
  ['src/**/*.test.*', undefined],
  ['*a*b*c*', undefined],
  ['*a*a*a*a*a*', 'stars'],
  ['**/**/**/**/x', '**'],
  ['x'.repeat(1_001), 'longer'],
])('globProblem(%p)', (glob, problem) => {
  expect(globProblem(glob)).toEqual(problem === undefined ? undefined : expect.stringContaining(problem));
});
