import { existsSync, readdirSync } from 'node:fs';

const folders = ['packages', 'apps'].flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`));

export default {
  projects: [
    ...folders
      .filter((folder) => existsSync(`${folder}/package.json`))
      .map((folder) => ({
        displayName: folder.replace(/^[a-z]+\//, ''),
        rootDir: folder,
        preset: '@talaria/jest-preset',
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
