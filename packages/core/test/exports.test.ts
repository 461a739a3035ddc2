import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test('the entry points are these', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './testing', './package.json']);
});

test('the root exports these names', async () => {
  expect(Object.keys(await import('../src/index.ts')).sort()).toMatchInlineSnapshot(`
[
  "ConfigError",
  "DeadlineExceeded",
  "InternalError",
  "ModelError",
  "SandboxError",
  "Secret",
  "StateError",
  "TalariaError",
  "TaskError",
  "addUsage",
  "assertNever",
  "backoffMs",
  "canonicalJson",
  "clipText",
  "contentHash",
  "createDisposalStack",
  "createId",
  "createRedactor",
  "createSemaphore",
  "describeMachine",
  "editDistance",
  "errorMessage",
  "isAbortOf",
  "isInfrastructureStop",
  "isJsonObject",
  "isTalariaError",
  "makeFolder",
  "mapConcurrent",
  "messageText",
  "nearestName",
  "noUsage",
  "openDeadline",
  "openOrDiscard",
  "parseJson",
  "quoteShell",
  "raceAbort",
  "redactSecrets",
  "retry",
  "secretForms",
  "seededRandom",
  "settleWithin",
  "silentLogger",
  "systemClock",
  "systemErrorCode",
  "toFailure",
  "truncateText",
]
`);
});

test('./testing exports these names', async () => {
  expect(Object.keys(await import('../src/testing/index.ts')).sort()).toMatchInlineSnapshot(`
[
  "createManualClock",
  "createMemoryLogger",
]
`);
});
