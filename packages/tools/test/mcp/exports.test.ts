import { expect, test } from '@jest/globals';

test('the entry point has exactly these values', async () => {
  expect(Object.keys(await import('@talaria/tools/mcp'))).toEqual(['openMcpServer']);
});
