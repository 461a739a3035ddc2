import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeMachine, silentLogger, systemClock } from '@talaria/core';
import type { TerminalBackend } from '../src/index.ts';
import { machineMark } from '../src/ledger/machine-mark.ts';
import { createSandboxLedger, type LedgerEntry } from '../src/ledger/sandbox-ledger.ts';
import { describeOwner } from '../src/ledger/sandbox-owner.ts';
import { findMarked } from '../src/local/end-processes.ts';
import { createLocalBackend } from '../src/local/index.ts';
import { createProcessTable } from '../src/local/process-table.ts';
import { sweepSandboxes } from '../src/local/sweep-sandboxes.ts';

let stateFolder: string;
let backend: TerminalBackend;

beforeEach(async () => {
  stateFolder = await mkdtemp(join(tmpdir(), 'talaria-sweep-'));
  backend = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 50 });
});

afterEach(async () => {
  await rm(stateFolder, { recursive: true, force: true });
});

async function leftovers(): Promise<string[]> {
  return await readdir(join(stateFolder, 'sandboxes')).catch(() => []);
}

async function runningIn(folder: string, ids: readonly string[]): Promise<number> {
  const entries = await createProcessTable(process.platform).look();
  return findMarked(entries, { sandboxIds: ids, folders: [folder] }).length;
}

async function addEntry(id: string, owner: object, changes: Partial<LedgerEntry> = {}): Promise<void> {
  const ledger = createSandboxLedger(stateFolder);
  const self = await describeOwner(process.pid);
  const entry = { version: 1 as const, id, backend: 'local', place: '', taskId: id, createdAt: 0, expiresAt: 0 };
  await ledger.add({ ...entry, ...changes, owner: { ...self, ...owner } });
  await mkdir(ledger.folderOf(id));
}

function startOwner(): ChildProcess {
  return spawn(
    process.execPath,
    ['--conditions=@talaria/source', join(import.meta.dirname, 'fixtures/owner.ts'), stateFolder],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
}

async function lineOf(owner: ChildProcess, start: string): Promise<string[]> {
  for await (const line of createInterface({ input: owner.stdout! })) {
    if (line.startsWith(start)) return line.split(' ');
  }
  throw new Error(`The owner ended before it said ${start}`);
}

async function killHard(owner: ChildProcess): Promise<void> {
  const ended = once(owner, 'exit');
  owner.kill('SIGKILL');
  await ended;
}

describe('sweep', () => {
  test('removes what an owner left that was killed, processes and all, and nothing twice', async () => {
    const owner = startOwner();
    const [, id = ''] = await lineOf(owner, 'ready');
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await runningIn(stateFolder, [id])).toBeGreaterThanOrEqual(4);
    await killHard(owner);
    const second = createLocalBackend({ stateFolder, environment: process.env, killGraceMs: 50 });
    const reports = await Promise.all([backend.sweep(), second.sweep()]);
    expect(reports.flatMap((report) => report.removed)).toEqual([id]);
    expect(reports.flatMap((report) => report.failed)).toEqual([]);
    expect(await leftovers()).toEqual([]);
    expect(await runningIn(stateFolder, [id])).toBe(0);
  });

  test.each([0, 3, 6, 10, 15, 25, 60])('removes what was left by a kill %i ms after the start', async (delayMs) => {
    const owner = startOwner();
    await lineOf(owner, 'starting');
    await new Promise((resolve) => setTimeout(resolve, delayMs));
    await killHard(owner);
    await backend.sweep();
    expect(await leftovers()).toEqual([]);
    expect(await runningIn(stateFolder, [])).toBe(0);
  });

  test('leaves alone what a live process owns', async () => {
    await using sandbox = await backend.open({ taskId: 'mine' });
    const background = await sandbox.spawn('sleep 600');
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(background.exit).toBeNull();
    expect((await sandbox.run('echo alive')).output).toBe('alive\n');
  });

  test('does not take a later process with the same number for the owner', async () => {
    await addEntry('reused', { startMark: '1' });
    expect((await backend.sweep()).removed).toEqual(['reused']);
  });

  test('takes every process before the last boot for dead, unless that may be the boot of another machine', async () => {
    const { machineId } = await describeMachine();
    const later = Date.now() + 3_600_000;
    await addEntry('before', { bootId: 'another' }, { expiresAt: later });
    await addEntry('namesake', { bootId: 'another', machineId: 'other' }, { expiresAt: later });
    await addEntry('expired', { bootId: 'another', machineId: 'other' });
    const { removed } = await backend.sweep();
    expect(removed.toSorted()).toEqual(machineId === '' ? ['expired'] : ['before', 'expired']);
  });

  test.each([{ host: 'another.example' }, { pidNamespace: 'pid:[1]' }])(
    'leaves alone what it cannot judge: %j',
    async (owner) => {
      await addEntry('foreign', owner);
      expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
      expect(await leftovers()).toEqual(['foreign', 'foreign.json']);
    },
  );

  test('leaves alone what another backend has to look after', async () => {
    await addEntry('container', { startMark: '1' }, { backend: 'docker' });
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await leftovers()).toEqual(['container', 'container.json']);
  });

  test('removes an entry that a crash tore, once it is old enough', async () => {
    await mkdir(join(stateFolder, 'sandboxes'));
    const path = join(stateFolder, 'sandboxes/torn.json');
    await writeFile(path, '{"version":1,"id":"to');
    expect((await backend.sweep()).removed).toEqual([]);
    await utimes(path, new Date(0), new Date(0));
    expect((await backend.sweep()).removed).toEqual(['torn']);
  });

  test.each([
    ['a later version', { version: 2, entry: { of: 'another shape' } }],
    ['an owner that it does not know', { version: 1, id: 'later', owner: { machine: 7 } }],
  ])('leaves alone what tells of %s', async (_what, entry) => {
    await addEntry('later', {});
    const path = join(stateFolder, 'sandboxes/later.json');
    await writeFile(path, JSON.stringify(entry));
    await utimes(path, new Date(0), new Date(0));
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await backend.list?.()).toEqual([]);
    expect(await backend.remove?.('later')).toBe(false);
    expect(await leftovers()).toEqual(['later', 'later.json']);
  });

  test('leaves a sandbox alone that may live for ever, and lists it', async () => {
    await using sandbox = await backend.open({ taskId: 'endless', maxLifetimeMs: Number.POSITIVE_INFINITY });
    const path = join(stateFolder, 'sandboxes', `${sandbox.id}.json`);
    await utimes(path, new Date(0), new Date(0));
    expect(await backend.sweep()).toEqual({ removed: [], failed: [] });
    expect(await backend.list?.()).toEqual([
      expect.objectContaining({ id: sandbox.id, ownerState: 'alive', expiresAt: null, state: 'present' }),
    ]);
    expect((await sandbox.run('echo alive')).output).toBe('alive\n');
  });

  test('removes what was being written when its writer died, and not what is being written', async () => {
    const folder = join(stateFolder, 'sandboxes');
    await mkdir(folder);
    const here = await machineMark();
    const live = `pending-${here}-${process.pid}-a`;
    const ended = spawn('true');
    await once(ended, 'exit');
    for (const name of [live, `pending-${here}-${ended.pid}-b`, 'pending-00-1-new', 'pending-00-1-old']) {
      await writeFile(join(folder, name), '');
    }
    await utimes(join(folder, 'pending-00-1-old'), new Date(0), new Date(0));
    await backend.sweep();
    expect(await leftovers()).toEqual(['pending-00-1-new', live].sort());
  });

  test('keeps what it could not end, and says so', async () => {
    await addEntry('stubborn', { startMark: '1' });
    await addEntry('dead', { startMark: '1' });
    const ledger = createSandboxLedger(stateFolder);
    // No process has this number, so that no signal reaches anybody.
    const survivor = { pid: 2 ** 30, parentPid: 1, groupId: 1, startMark: '1', hasTerminal: false, execId: null };
    const entries = [{ ...survivor, sandboxId: 'stubborn', cwd: null, limitMark: null }];
    const table = { look: async () => entries, isRunning: () => true };
    const tools = { ledger, table, clock: systemClock, logger: silentLogger, killGraceMs: 0 };
    const report = await sweepSandboxes(tools, undefined);
    expect(report.removed).toEqual(['dead']);
    expect(report.failed).toEqual([{ name: 'stubborn', reason: expect.stringContaining(String(2 ** 30)) }]);
    expect(await leftovers()).toEqual(['stubborn', 'stubborn.json']);
  });

  test('stops when it is aborted before', async () => {
    const reason = new Error('stop');
    await expect(backend.sweep({ signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });
});

describe('list and remove', () => {
  test('tells of every sandbox, and whether its owner lives', async () => {
    await using sandbox = await backend.open({ taskId: 'mine', maxLifetimeMs: 5_000 });
    await addEntry('left', { startMark: '1' });
    await addEntry('foreign', { host: 'another.example' });
    await addEntry('container', {}, { backend: 'docker' });
    await writeFile(join(stateFolder, 'sandboxes/torn.json'), '{');
    const listings = (await backend.list?.()) ?? [];
    expect(listings.map(({ id, ownerState, state }) => [id, ownerState, state]).sort()).toEqual(
      [
        ['foreign', 'unknown', 'present'],
        ['left', 'dead', 'present'],
        [sandbox.id, 'alive', 'present'],
        ['torn', 'unknown', 'torn'],
      ].sort(),
    );
    const own = listings.find(({ id }) => id === sandbox.id);
    expect(own).toMatchObject({ backend: 'local', taskId: 'mine', owner: { pid: process.pid } });
    expect((own?.expiresAt ?? 0) - (own?.createdAt ?? 0)).toBe(5_000);
  });

  test('removes one, with what runs in it, whoever owns it, and nothing else', async () => {
    await using sandbox = await backend.open({ taskId: 'going' });
    await using other = await backend.open({ taskId: 'staying' });
    const background = await sandbox.spawn('sleep 600');
    expect(await backend.remove?.(sandbox.id)).toBe(true);
    await background.wait();
    expect(await runningIn(stateFolder, [sandbox.id])).toBe(0);
    expect((await backend.list?.())?.map(({ id }) => id)).toEqual([other.id]);
    expect(await backend.remove?.(sandbox.id)).toBe(false);
    expect((await other.run('echo alive')).output).toBe('alive\n');
  });

  test.each(['..', '../elsewhere', 'nobody'])('removes nothing by the name %s', async (id) => {
    await mkdir(join(stateFolder, 'elsewhere'));
    await addEntry('container', {}, { backend: 'docker' });
    expect(await backend.remove?.(id)).toBe(false);
    expect(await backend.remove?.('container')).toBe(false);
    expect((await readdir(stateFolder)).sort()).toEqual(['elsewhere', 'sandboxes']);
    expect(await leftovers()).toEqual(['container', 'container.json']);
  });
});
