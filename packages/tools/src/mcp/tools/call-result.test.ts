import { expect, test } from '@jest/globals';
import { toToolResult } from './call-result.ts';

test.each([
  ['', 0],
  ['==', 0],
  ['QQ==', 1],
  ['QUI=\n', 2],
  ['QUJD', 3],
])('the size of %p is %p bytes', (data, size) => {
  const content = [{ type: 'image', mimeType: 'image/png', data }];
  expect(JSON.stringify(toToolResult({ content }))).toContain(`[image: image/png, ${size} bytes; not shown]`);
});

test('the size of what is no Base64 is known at once', () => {
  const startedAt = performance.now();
  toToolResult({ content: [{ type: 'image', data: `${'='.repeat(300_000)}A` }] });
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
