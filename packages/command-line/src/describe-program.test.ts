import { expect, test } from '@jest/globals';
import { describeProgram } from './describe-program.ts';

test.each<[string, string | undefined, string]>([
  ['/clone/apps/talaria/dist/main.js', 'talaria', 'npm run talaria --'],
  ['/clone/apps/talaria/dist/main.js', 'quickstart', 'npm run talaria --'],
  ['/clone/apps/talaria/dist/main.js', undefined, 'node apps/talaria/dist/main.js'],
  ['/clone/my environments/words.ts', 'test', "node 'my environments/words.ts'"],
  ['/elsewhere/words.ts', undefined, 'node /elsewhere/words.ts'],
  ['/usr/bin/talaria', undefined, 'talaria'],
  ['/clone/node_modules/.bin/talaria', 'npx', 'npx talaria'],
])('%s, started by the script %s, is called as %s', (file, script, typed) => {
  expect(describeProgram({ file, cwd: '/clone', variables: { npm_lifecycle_event: script } })).toBe(typed);
});
