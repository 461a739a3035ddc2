import { describe, expect, test } from '@jest/globals';
import { loadPackage } from './load-package.ts';

describe('loadPackage', () => {
  test('tells how to install a package that is missing', async () => {
    const missing = 'no-such-package-here';
    await expect(loadPackage(missing, () => import(missing), '^1')).rejects.toMatchObject({
      name: 'ConfigError',
      code: 'config.missing-package',
      message: 'The package "no-such-package-here" is not installed',
      hint: 'Install it: npm install no-such-package-here@^1',
    });
  });

  test('lets every other failure through: a broken package, a missing dependency of it', async () => {
    const broken = new Error('broken inside');
    await expect(loadPackage('openai', () => Promise.reject(broken), '^7')).rejects.toBe(broken);
    const inner = Object.assign(new Error("Cannot find package 'other' imported from x"), {
      code: 'ERR_MODULE_NOT_FOUND',
    });
    await expect(loadPackage('openai', () => Promise.reject(inner), '^7')).rejects.toBe(inner);
  });
});
