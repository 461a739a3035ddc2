import { fileURLToPath } from 'node:url';

/** How every package's tests are compiled and found: ES modules, TypeScript sources of the workspace, no build needed. */
export default {
  testEnvironment: 'node',
  extensionsToTreatAsEsm: ['.ts'],
  testMatch: ['<rootDir>/src/**/*.test.ts', '<rootDir>/test/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/', '\\.live\\.test\\.ts$'],
  modulePathIgnorePatterns: ['/dist/'],
  transform: {
    '\\.ts$': [
      fileURLToPath(import.meta.resolve('@swc/jest')),
      {
        jsc: {
          parser: { syntax: 'typescript', explicitResourceManagement: true },
          target: 'es2023',
          transform: {},
        },
        module: { type: 'es6' },
        sourceMaps: 'inline',
      },
    ],
  },
  testEnvironmentOptions: { customExportConditions: ['@talaria/source', 'node', 'node-addons'] },
  workerIdleMemoryLimit: '1GB',
};
