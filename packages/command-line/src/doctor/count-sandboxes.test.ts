import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { createLocalBackend } from '@talaria/terminal-backends/local';
import { createFakeHost } from '../../test/fake-host.ts';
import { countSandboxes } from './count-sandboxes.ts';
import { probeState } from './probe-state.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-count-'));
});

afterEach(() => rm(folder, { recursive: true }));

async function writeEntry(name: string, content: unknown): Promise<void> {
  await mkdir(join(folder, 'sandboxes'), { recursive: true });
  await writeFile(join(folder, 'sandboxes', name), typeof content === 'string' ? content : JSON.stringify(content));
}

async function describeState(): Promise<string | null> {
  return (await probeState(createFakeHost({ variables: { TERMINAL_SANDBOX_DIR: folder } }))).hint;
}

test('a sandbox of a run that goes on is in use, and no longer once it is closed', async () => {
  const backend = createLocalBackend({ stateFolder: folder, environment: { PATH: process.env['PATH'] ?? '' } });
  {
    await using _sandbox = await backend.open({ taskId: 'task' });
    expect(await countSandboxes(folder)).toEqual({ inUse: 1, leftover: 0, unknown: 0 });
    expect(await describeState()).toMatch(/^holds 1 sandbox: 1 in use; /);
  }
  expect(await countSandboxes(folder)).toEqual({ inUse: 0, leftover: 0, unknown: 0 });
});

test('those of ended runs are left over; those of other machines, and torn entries, are neither', async () => {
  // Above every number that Linux gives to a process.
  await writeEntry('dead.json', { owner: { host: hostname(), pid: 99_999_999 } });
  await writeEntry('far.json', { owner: { host: 'elsewhere', pid: 1 } });
  await writeEntry('torn.json', '{"owner": {');
  await writeEntry('pending-x', '');
  expect(await countSandboxes(folder)).toEqual({ inUse: 0, leftover: 1, unknown: 2 });
  expect(await describeState()).toMatch(/^holds 3 sandboxes: 2 of another .*, 1 left over: talaria sandboxes sweep; /);
});
