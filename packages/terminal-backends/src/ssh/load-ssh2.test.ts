import { expect, test } from '@jest/globals';
import { loadSsh2 } from './load-ssh2.ts';

test('a missing package is told with the command that installs it', async () => {
  const missing = Object.assign(new Error("Cannot find package 'ssh2' imported from x"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  await expect(loadSsh2(() => Promise.reject(missing))).rejects.toMatchObject({
    code: 'config.missing-package',
    hint: expect.stringContaining('npm install ssh2'),
    cause: missing,
  });
});

test('any other failure of the package passes unchanged', async () => {
  const inner = Object.assign(new Error("Cannot find package 'asn1' imported from ssh2"), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
  for (const error of [new Error('broken'), inner]) {
    await expect(loadSsh2(() => Promise.reject(error))).rejects.toBe(error);
  }
});
