import { describe, expect, test } from '@jest/globals';
import { fileError, localError } from './local-error.ts';

describe('fileError', () => {
  test.each([
    ['ENOENT', 'sandbox.not-found'],
    ['EISDIR', 'sandbox.is-directory'],
    ['ENOTDIR', 'sandbox.not-directory'],
    ['EACCES', 'sandbox.permission'],
    ['EROFS', 'sandbox.permission'],
    ['ENOSPC', 'sandbox.no-space'],
    ['EDQUOT', 'sandbox.no-space'],
    ['EFBIG', 'sandbox.too-large'],
    ['EEXIST', 'sandbox.exists'],
    ['ELOOP', 'sandbox.unsafe-path'],
    ['EIO', 'sandbox.failed'],
  ])('gives %s the code %s, with the path and the cause', (systemCode, code) => {
    const cause = Object.assign(new Error('broken'), { code: systemCode });
    expect(fileError(cause, 'read', '/a b')).toMatchObject({
      code,
      phase: 'transfer',
      backend: 'local',
      cause,
      message: 'Cannot read "/a b": broken',
    });
  });

  test('lets typed errors and the reason of an abort through', () => {
    const typed = localError('x', { code: 'sandbox.lost', phase: 'exec', started: true });
    expect(fileError(typed, 'read', '/a')).toBe(typed);
    const reason = { why: 'stop' };
    const aborted = Object.assign(new Error('aborted'), { code: 'ABORT_ERR' });
    expect(fileError(aborted, 'read', '/a', AbortSignal.abort(reason))).toBe(reason);
  });
});
