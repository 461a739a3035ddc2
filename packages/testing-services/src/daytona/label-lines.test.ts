import { expect, test } from '@jest/globals';
import { createLineLabeler, linesOf, stderrMark, stdoutMark } from './label-lines.ts';

test('lines are labeled when they are complete, without zero bytes', () => {
  const labeler = createLineLabeler(stdoutMark);
  expect(labeler.push(Buffer.from('on'))).toHaveLength(0);
  expect(labeler.push(Buffer.from('e\ntw\0o')).toString()).toBe('\x01\x01\x01one\n');
  expect(labeler.end().toString()).toBe('\x01\x01\x01two\n');
  expect(labeler.end()).toHaveLength(0);
});

test('the lines of each stream are found again', () => {
  const log = Buffer.from('\x01\x01\x01a\n\x02\x02\x02b\n\x01\x01\x01c\n');
  expect(linesOf(log, [stdoutMark])).toBe('a\nc\n');
  expect(linesOf(log, [stderrMark])).toBe('b\n');
  expect(linesOf(log, [stdoutMark, stderrMark])).toBe('a\nb\nc\n');
});
