import { expect, test } from '@jest/globals';
import { readMarks, writeMarks } from './sandbox-marks.ts';

const owner = { host: 'host', bootId: 'boot', pidNamespace: 'pid:[1]', pid: 7, startMark: '42' };

test.each(['.', '-'] as const)('what labels with %p tell can be read again', (separator) => {
  const labels = writeMarks({ taskId: 'long-name', owner, expiresAt: 1_000 }, { separator, maxTaskLength: 4 });
  expect(labels).toMatchObject({ talaria: '1', [`talaria${separator}task`]: 'long' });
  expect(readMarks(labels, { separator })).toEqual({ taskId: 'long', owner, expiresAt: 1_000 });
});

test('labels that somebody changed tell what is left of them', () => {
  const labels = { 'talaria-owner': '{"pid":', 'talaria-expires': 'soon' };
  expect(readMarks(labels, { separator: '-' })).toEqual({ taskId: '', owner: null, expiresAt: null });
});
