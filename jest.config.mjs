import { existsSync, readdirSync } from 'node:fs';
import preset from '@talaria/jest-preset/jest-preset.mjs';

const folders = ['packages', 'apps'].flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`));

/**
 * Suites that take long and need nothing but time: attacks, and what is tested on the doubles of Modal and Daytona or with
 * several browsers. They are left to `npm run test:thorough` and to CI, unless files are named.
 */
const thoroughSuites = [
  '/test/(.*[/-])?(abort|careless|crash|faults|flaky|fuzz|hostile|linear-work|many)\\b[^/]*\\.test\\.ts$',
  '/test/(daytona|modal)-[^/]*\\.test\\.ts$',
  '/test/remote-files-parity\\.test\\.ts$',
  '/test/browser/chromium-(connected|https|orphan|policy)\\.test\\.ts$',
  '/test/code/execute-code-backends\\.test\\.ts$',
];
const isThorough = process.env.TALARIA_THOROUGH === '1' || process.argv.slice(2).some((word) => !word.startsWith('-'));
const leftOut = isThorough ? [] : thoroughSuites;
const testPathIgnorePatterns = [...preset.testPathIgnorePatterns, ...leftOut];

export default {
  projects: [
    ...folders
      .filter((folder) => existsSync(`${folder}/package.json`))
      .map((folder) => ({
        displayName: folder.replace(/^[a-z]+\//, ''),
        rootDir: folder,
        preset: '@talaria/jest-preset',
        testPathIgnorePatterns,
      })),
    {
      displayName: 'workspace',
      rootDir: 'scripts',
      preset: '@talaria/jest-preset',
      testMatch: ['<rootDir>/**/*.test.ts'],
    },
  ],
  maxWorkers: 2,
  testTimeout: 30_000,
};
