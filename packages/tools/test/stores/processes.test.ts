import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { createManualClock } from '@talaria/core/testing';
import { openSqliteMemoryStore, openSqliteSessionStore, openSqliteSkillStore } from '@talaria/tools/stores';

jest.setTimeout(180_000);

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-stores-'));
  path = join(folder, 'store.sqlite');
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

function start(...args: readonly string[]): ChildProcess {
  const script = fileURLToPath(new URL('./writer-process.ts', import.meta.url));
  return spawn(process.execPath, ['--conditions=@talaria/source', '--no-warnings', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

/** Resolves when a writer says that it is in the middle of its write; rejects where it ends instead. */
async function whenInside(writer: ChildProcess): Promise<void> {
  const ended = once(writer, 'exit').then(() => {
    throw new Error('The writer ended before it was inside its write');
  });
  // Ends later, too, when the writer is killed.
  ended.catch(() => undefined);
  await Promise.race([ended, writer.stdout === null ? ended : once(writer.stdout, 'data')]);
}

test('two processes that write one file at the same time lose nothing', async () => {
  const writers = ['x', 'y'].map((name) => start('add', path, name, '20'));
  const codes = await Promise.all(writers.map(async (writer) => (await once(writer, 'exit'))[0]));
  expect(codes).toEqual([0, 0]);
  await using store = await openSqliteMemoryStore({ path });
  const entries = await store.read('tenant', 'memory');
  const numbers = [...Array(20).keys()];
  expect(entries.filter((entry) => entry.startsWith('x'))).toEqual(numbers.map((number) => `x${number}`));
  expect(entries.filter((entry) => entry.startsWith('y'))).toEqual(numbers.map((number) => `y${number}`));
});

test('a process that is killed in the middle of a write leaves what was there before, and no lock', async () => {
  await using store = await openSqliteMemoryStore({ path });
  await store.update('tenant', 'memory', () => ({ entries: ['one', 'two'], outcome: null }));
  const writer = start('hang-notes', path);
  const exited = once(writer, 'exit');
  await whenInside(writer);
  expect(await store.read('tenant', 'memory')).toEqual(['one', 'two']);
  writer.kill('SIGKILL');
  await exited;
  await store.update('tenant', 'memory', (entries) => ({ entries: [...entries, 'three'], outcome: null }));
  expect(await store.read('tenant', 'memory')).toEqual(['one', 'two', 'three']);
});

test('a session of which half was written when its process was killed is not there', async () => {
  await using store = await openSqliteSessionStore({ path });
  const writer = start('hang-session', path);
  const exited = once(writer, 'exit');
  await whenInside(writer);
  writer.kill('SIGKILL');
  await exited;
  expect(await store.latest('tenant', { limit: 5 })).toEqual([]);
  expect(await store.search('tenant', { text: 'half', limit: 5 })).toEqual([]);
  await store.append('tenant', 'session', [{ role: 'user', content: 'whole', at: 1 }]);
  expect(await store.search('tenant', { text: 'whole', limit: 5 })).toHaveLength(1);
});

test('a call waits for a lock only until it is aborted or its time is over, and works once the lock is gone', async () => {
  const clock = createManualClock();
  await using store = await openSqliteMemoryStore({ path, lockTimeoutMs: 1_000, clock });
  const change = { entries: ['x'], outcome: null };
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  const stop = new AbortController();
  const aborted = store.update('tenant', 'memory', () => change, { signal: stop.signal });
  const reason = new Error('stop');
  stop.abort(reason);
  await expect(aborted).rejects.toBe(reason);
  const late = store.update('tenant', 'memory', () => change);
  const refused = expect(late).rejects.toMatchObject({ code: 'state.locked', retryable: true });
  await clock.advance(1_500);
  await refused;
  expect(await store.read('tenant', 'memory')).toEqual([]);
  const patient = store.update('tenant', 'memory', () => change);
  other.exec('ROLLBACK');
  other.close();
  await clock.advance(200);
  await patient;
  expect(await store.read('tenant', 'memory')).toEqual(['x']);
});

test('what a file holds is still there when it is opened again, and only its owner may read it', async () => {
  {
    await using store = await openSqliteSkillStore({ path });
    const skill = { category: null, description: 'd', files: new Map([['SKILL.md', 'text']]) };
    await store.update('tenant', 'name', () => ({ skill, outcome: null }));
  }
  await using again = await openSqliteSkillStore({ path });
  expect((await again.read('tenant', 'name'))?.files.get('SKILL.md')).toBe('text');
  expect((await stat(path)).mode & 0o777).toBe(0o600);
});

test('messages that were written without a full-text index are found with one', async () => {
  {
    await using store = await openSqliteSessionStore({ path, fullText: false });
    await store.append('tenant', 'old', [{ role: 'user', content: 'first words', at: 1 }]);
  }
  await using store = await openSqliteSessionStore({ path });
  await using plain = await openSqliteSessionStore({ path, fullText: false });
  await plain.append('tenant', 'new', [{ role: 'user', content: 'further words', at: 2 }]);
  const hits = await store.search('tenant', { text: 'words', limit: 5 });
  expect(hits.map(({ sessionId }) => sessionId)).toEqual(['new', 'old']);
});

test('files of something else, damaged, newer, or that cannot be made are refused', async () => {
  await writeFile(path, 'This is a letter and no database at all, however long one looks at it.'.repeat(20));
  await expect(openSqliteMemoryStore({ path })).rejects.toMatchObject({ code: 'state.damaged' });
  const foreign = join(folder, 'foreign.sqlite');
  const database = new DatabaseSync(foreign);
  database.exec('CREATE TABLE entries (x)');
  await expect(openSqliteMemoryStore({ path: foreign })).rejects.toMatchObject({ code: 'state.different-store' });
  database.close();
  const newer = join(folder, 'newer.sqlite');
  await (await openSqliteMemoryStore({ path: newer }))[Symbol.asyncDispose]();
  await expect(openSqliteSkillStore({ path: newer })).rejects.toMatchObject({ code: 'state.different-store' });
  const raised = new DatabaseSync(newer);
  raised.exec('PRAGMA user_version = 99');
  raised.close();
  await expect(openSqliteMemoryStore({ path: newer })).rejects.toMatchObject({ code: 'state.unknown-version' });
  await expect(openSqliteMemoryStore({ path: join(path, 'below') })).rejects.toMatchObject({
    code: 'state.not-writable',
  });
  await expect(openSqliteMemoryStore({ path: folder })).rejects.toMatchObject({ code: 'state.not-writable' });
  await expect(openSqliteMemoryStore({ path: 'relative' })).rejects.toMatchObject({ code: 'config.invalid' });
});

test('a closed store says so, and closing twice does nothing', async () => {
  const store = await openSqliteMemoryStore({ path });
  await store[Symbol.asyncDispose]();
  await store[Symbol.asyncDispose]();
  await expect(store.read('tenant', 'memory')).rejects.toMatchObject({ code: 'state.closed' });
});
