import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test('the entry points are these', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './sinks', './package.json']);
});

test('the root exports these names', async () => {
  expect(Object.keys(await import('../src/index.ts')).sort()).toMatchInlineSnapshot(`
[
  "backendKinds",
  "browserConfigSchema",
  "checkEnvironment",
  "defaultImage",
  "defineEnvironment",
  "describeRunConfig",
  "environmentConfigSchema",
  "environmentFailure",
  "evaluateEnvironment",
  "isEnvironment",
  "jumpPattern",
  "listKnownImages",
  "passAtK",
  "processEnvironment",
  "resolveRunConfig",
  "resolveTerminalConfig",
  "resolveToolsConfig",
  "runFlagAliases",
  "serverConfigSchema",
  "settingsOfLater",
  "terminalConfigSchema",
  "toolsConfigSchema",
  "ulimitPattern",
  "volumePattern",
  "webConfigSchema",
]
`);
});

test('./sinks exports these names', async () => {
  expect(Object.keys(await import('../src/sinks/index.ts')).sort()).toMatchInlineSnapshot(`
[
  "createConsoleSink",
  "createJsonlSink",
]
`);
});
