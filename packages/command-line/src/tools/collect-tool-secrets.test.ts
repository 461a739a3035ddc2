import { expect, test } from '@jest/globals';
import { createRedactor, Secret, silentLogger } from '@talaria/core';
import { resolveToolsConfig, type ToolSections } from '@talaria/environments';
import { createFakeHost } from '../../test/fake-host.ts';
import { collectToolSecrets } from './collect-tool-secrets.ts';
import { openWebAccess } from './open-web-access.ts';

const variables = { OPENAI_API_KEY: 'sk-of-the-model', TAVILY_API_KEY: 'tvly-of-the-web', OTHER: 'something-else' };

function configOf(yaml: string): ToolSections {
  return resolveToolsConfig({ variables, yaml: { text: yaml, fileName: 'run.yaml' } }).config;
}

test('keys of providers, of models and of servers are secret, whole and without their scheme', async () => {
  const config = configOf(`
    browser: {cdp_url: "wss://grid.example/?token=token-of-the-grid"}
    tools:
      vision_model: openai/gpt-4.1-mini
      mcp_servers:
        tickets:
          url: https://me:p%40ss-of-the-address@tickets.example/mcp
          headers: {Authorization: Bearer tok-of-the-header, X-Trace: of-nobody, Cookie: session=of-the-cookie}
        files: {command: files, env: {GITHUB_PAT: pat-of-the-program, PATH: /usr/bin, MYSQL_PASSWD: passwd-of-it}}`);
  const secrets = await collectToolSecrets(createFakeHost({ variables }), config);
  const redact = createRedactor(secrets);
  for (const text of [
    'sk-of-the-model',
    'tvly-of-the-web',
    'tok-of-the-header',
    'Bearer tok-of-the-header',
    'session=of-the-cookie',
    'pat-of-the-program',
    'passwd-of-it',
    'token-of-the-grid',
    'p@ss-of-the-address',
    'p%40ss-of-the-address',
  ]) {
    expect(redact(`<${text}>`)).toMatch(/^<\[redacted:[^\]]+\]>$/);
  }
  expect(redact('of-nobody /usr/bin something-else')).toBe('of-nobody /usr/bin something-else');
});

test('no address that holds one is visited', async () => {
  const options = { secrets: [new Secret('RUN_KEY', 'key-of-the-run')], logger: silentLogger };
  await using access = await openWebAccess(createFakeHost({ variables }), configOf('web: {}'), options);
  expect(() => access.policy.checkUrl('https://x.example/?k=key-of-the-run')).toThrow(/RUN_KEY/);
});
