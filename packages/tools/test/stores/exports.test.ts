import { expect, test } from '@jest/globals';

test.each([
  [
    '@talaria/tools/stores',
    [
      'createStoreTools',
      'createTransientMemoryStore',
      'createTransientSessionStore',
      'createTransientSkillStore',
      'openSqliteMemoryStore',
      'openSqliteSessionStore',
      'openSqliteSkillStore',
    ],
  ],
  ['@talaria/tools/stores/contract', ['memoryStoreContract', 'sessionStoreContract', 'skillStoreContract']],
])('%s has exactly these values', async (entry, names) => {
  expect(Object.keys(await import(entry)).sort()).toEqual(names);
});
