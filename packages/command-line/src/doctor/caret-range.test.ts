import { expect, test } from '@jest/globals';
import { isInCaretRange } from './caret-range.ts';

test.each([
  ['^0.11', '0.11.0', true],
  ['^0.11', '0.11.9', true],
  ['^0.11', '0.10.9', false],
  ['^0.11', '0.12.0', false],
  ['^0.11', '1.2.0', false],
  ['^1.17', '1.17.0', true],
  ['^1.17', '1.18.2', true],
  ['^1.17', '1.16.9', false],
  ['^1.17.4', '1.17.3', false],
  ['^1.17.4', '1.18.0', true],
  ['^1.17', '2.17.0', false],
  ['^5', '5.0.0', true],
  ['^5', '4.9.9', false],
  ['^0', '0.9.9', true],
  ['^0', '1.0.0', false],
  ['^0.0', '0.0.7', true],
  ['^0.0', '0.1.0', false],
  ['^0.0.3', '0.0.4', false],
  ['^1.17', '1.17.0-rc.1', false],
  ['^1.17', '1.18.0+build.7', true],
  ['>=1', '1.0.0', null],
  ['^1', 'unknown', null],
])('the range %s and the version %s', (range, version, isIn) => {
  expect(isInCaretRange(version, range)).toBe(isIn);
});
