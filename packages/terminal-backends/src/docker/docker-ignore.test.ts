import { expect, test } from '@jest/globals';
import { parseDockerIgnore } from './docker-ignore.ts';

test.each([
  ['*.log', 'a.log', true],
  ['*.log', 'sub/a.log', false],
  ['**/*.log', 'a.log', true],
  ['**/*.log', 'sub/deep/a.log', true],
  ['sub', 'sub/deep/a', true],
  ['/sub/', 'sub/a', true],
  ['sub', 'subway', false],
  ['./a/../b', 'b', true],
  ['a?c', 'abc', true],
  ['a?c', 'a/c', false],
  ['[ab].txt', 'b.txt', true],
  ['[^ab].txt', 'c.txt', true],
  ['[^ab].txt', 'a.txt', false],
  ['a.txt', 'a-txt', false],
  ['a\\*b', 'a*b', true],
  ['a\\*b', 'axb', false],
  ['**', 'any/thing', true],
  ['foo/**/bar', 'foo/bar', true],
  ['foo/**/bar', 'foo/x/y/bar/z', true],
  ['# sub', 'sub', false],
  ['  spaced  ', 'spaced', true],
  ['*\n!keep.txt', 'keep.txt', false],
  ['*\n!keep.txt', 'drop.txt', true],
  ['*.md\n!README*.md\nREADME-secret.md', 'README-secret.md', true],
  ['*.md\n!README*.md\nREADME-secret.md', 'README.md', false],
  ['ignored\n!ignored/kept', 'ignored/kept', false],
  ['a\r\nb\r\n', 'a', true],
  ['', 'a', false],
])('%j says of %s that it is ignored: %s', (text, path, isIgnored) => {
  expect(parseDockerIgnore(text).isIgnored(path)).toBe(isIgnored);
});

test('tells whether a folder that is ignored must be looked into', () => {
  expect(parseDockerIgnore('a\nb').hasExceptions).toBe(false);
  expect(parseDockerIgnore('a\n!a/b').hasExceptions).toBe(true);
});
