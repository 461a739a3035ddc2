import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

test('the entry points are these', () => {
  expect(Object.keys(manifest.exports)).toEqual(['.', './package.json']);
});

test('the root exports these names', async () => {
  expect(Object.keys(await import('../src/index.ts')).sort()).toMatchInlineSnapshot(`
[
  "checkUnknownKeys",
  "coerceText",
  "collectSecrets",
  "collectVariableSecrets",
  "describeFields",
  "expandVariables",
  "expectedText",
  "findField",
  "findUnknownKeys",
  "guardSecrets",
  "isSecretName",
  "listLeafFields",
  "listLeafPaths",
  "listVariableNames",
  "maxConfigFileChars",
  "mergeLayers",
  "mergeObjects",
  "parseFlags",
  "parseYamlConfig",
  "plainLayer",
  "readFlag",
  "readVariables",
  "redactConfig",
  "renderFieldHelp",
  "secretField",
  "secretsInAddress",
  "validateConfig",
  "valueAt",
  "withEnvFile",
  "withValueAt",
]
`);
});
