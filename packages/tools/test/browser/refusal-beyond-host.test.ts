import { expect, test } from '@jest/globals';
import { Secret } from '@talaria/core';
import { createUrlPolicy } from '@talaria/tools/web';
import { refusalBeyondHost } from '../../src/browser/playwright/refusal-beyond-host.ts';

const policy = createUrlPolicy({
  allowPrivateHosts: ['127.0.0.1:80', '127.0.0.1:443', 'test.example:8080'],
  secrets: [new Secret('KEY', 'a-secret-value')],
});

test.each([
  ['ws://127.0.0.1/?k=a-secret-value', true],
  ['wss://127.0.0.1/?k=a-secret-value', true],
  ['https://127.0.0.1/?k=a-secret-value', true],
  ['ws://test.example:8080/?k=a-secret-value', true],
  ['https://user:pw@public.example/', true],
  ['ws://127.0.0.1/', false],
  ['https://public.example/', false],
  // The proxy sees all of these.
  ['http://public.example/?k=a-secret-value', false],
  // The proxy refuses these hosts.
  ['ws://10.0.0.1/?k=a-secret-value', false],
])('%s is refused for more than its host: %j', (url, expected) => {
  expect(refusalBeyondHost(url, policy) !== undefined).toBe(expected);
});
