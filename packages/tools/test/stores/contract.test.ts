import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, test } from '@jest/globals';
import {
  createTransientMemoryStore,
  createTransientSessionStore,
  createTransientSkillStore,
  openSqliteMemoryStore,
  openSqliteSessionStore,
  openSqliteSkillStore,
} from '@talaria/tools/stores';
import {
  memoryStoreContract,
  type StoreContractCase,
  sessionStoreContract,
  skillStoreContract,
} from '@talaria/tools/stores/contract';

let folder: string;
let fileCount = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-stores-'));
});
afterAll(async () => rm(folder, { recursive: true, force: true }));

function nextFile(): string {
  fileCount += 1;
  return join(folder, 'made on demand', `${fileCount}.sqlite`);
}

function runContract<Store extends AsyncDisposable>(
  name: string,
  cases: readonly StoreContractCase<Store>[],
  open: () => Promise<Store>,
): void {
  describe(name, () => {
    test.each(cases.map((entry) => [entry.name, entry] as const))('%s', (_name, entry) => entry.run(open));
  });
}

runContract('transient notes', memoryStoreContract, async () => createTransientMemoryStore());
runContract('notes in SQLite', memoryStoreContract, () => openSqliteMemoryStore({ path: nextFile() }));
runContract('transient skills', skillStoreContract, async () => createTransientSkillStore());
runContract('skills in SQLite', skillStoreContract, () => openSqliteSkillStore({ path: nextFile() }));
runContract('transient sessions', sessionStoreContract, async () => createTransientSessionStore());
runContract('sessions in SQLite', sessionStoreContract, () => openSqliteSessionStore({ path: nextFile() }));
runContract('sessions in SQLite without full-text index', sessionStoreContract, () =>
  openSqliteSessionStore({ path: nextFile(), fullText: false }),
);
