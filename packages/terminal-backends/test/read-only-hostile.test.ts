import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { describeWithService } from '@talaria/testing-services/services/jest';
import { createDockerBackend } from '../src/docker/index.ts';
import type { TerminalBackend } from '../src/index.ts';
import { createSingularityBackend } from '../src/singularity/index.ts';
import { createSshBackend } from '../src/ssh/index.ts';
import { describeEveryBackend } from './every-backend.ts';
import { probeReadOnly, readOnlyAnswers } from './fixtures/probe-read-only.ts';
import { startSshServer } from './fixtures/ssh-server.ts';

const patience = 60_000;
const isWanted = process.env['TALARIA_REQUIRE_SERVICES'] === '1';

/** Makes a file system with a note, which nobody can change, at the first word, and becomes the program after it. */
const mountAndRun = 'mount -t tmpfs tmpfs "$0" && printf text >"$0/note" && mount -o remount,ro "$0" && exec "$@"';

let holder: string;
let hostFile: string;

beforeAll(async () => {
  holder = await mkdtemp(join(tmpdir(), 'talaria-read-only-'));
  hostFile = join(holder, 'file');
  await mkdir(join(holder, 'fixed'));
  await writeFile(join(holder, 'fixed/note'), 'text');
  await writeFile(hostFile, 'from the host');
});

afterAll(async () => {
  await rm(holder, { recursive: true });
});

async function expectRefusals(backend: TerminalBackend, folder: string): Promise<void> {
  await using sandbox = await backend.open({ taskId: 'fixed' });
  expect(await probeReadOnly(sandbox, folder, hostFile)).toEqual(readOnlyAnswers);
}

function besideFixed(folder: string, words: readonly string[]): SpawnSyncReturns<string> {
  return spawnSync('unshare', ['-rm', 'bash', '-c', mountAndRun, folder, ...words], { encoding: 'utf8' });
}

const mayMount = isWanted || besideFixed(tmpdir(), ['true']).status === 0;
if (!mayMount) process.stderr.write('SKIPPED a file system that is read-only: nothing can be mounted here\n');

(mayMount ? test : test.skip)('a read-only place is told as one by the local backend', () => {
  const fixture = join(import.meta.dirname, 'fixtures/read-only.ts');
  const words = [process.execPath, '--conditions=@talaria/source', fixture, holder, join(holder, 'fixed')];
  const child = besideFixed(join(holder, 'fixed'), words);
  expect([child.stderr, child.status]).toEqual(['', 0]);
  expect(JSON.parse(child.stdout)).toEqual(readOnlyAnswers);
});

await describeWithService('docker', process.env, ({ socketPath, image }) => {
  test(
    'a read-only place is told as one by the docker backend',
    async () => {
      const mounts = [{ kind: 'bind' as const, source: join(holder, 'fixed'), target: '/fixed' }];
      const host = `unix://${socketPath}`;
      const backend = createDockerBackend({ stateFolder: holder, environment: {}, host, image, mounts });
      await expectRefusals(backend, '/fixed');
    },
    patience,
  );
});

await describeWithService('apptainer', process.env, ({ path, image }) => {
  test(
    'a read-only place is told as one by the singularity backend',
    async () => {
      const mounts = [{ source: join(holder, 'fixed'), target: '/fixed' }];
      const backend = createSingularityBackend({
        stateFolder: holder,
        environment: process.env,
        program: path,
        image,
        mounts,
      });
      await expectRefusals(backend, '/fixed');
    },
    patience,
  );
});

await describeWithService('ssh', process.env, ({ serverPath }) => {
  (mayMount ? test : test.skip)(
    'a read-only place is told as one by the ssh backend',
    async () => {
      const fixed = join(holder, 'fixed');
      const isRoot = process.getuid?.() === 0;
      const prefix = ['unshare', isRoot ? '-m' : '-rm', 'bash', '-c', mountAndRun, fixed];
      await using server = await startSshServer(serverPath, { prefix });
      await expectRefusals(createSshBackend(server.options), fixed);
    },
    patience,
  );
});

// The files of both are scripts of the sandbox; a place that none can write to is made from inside, by root.
const testAsRoot = process.getuid?.() === 0 ? test : test.skip;
await describeEveryBackend(
  ({ createBackend }) => {
    testAsRoot(
      'a read-only place is told as one (needs root)',
      async () => {
        await using sandbox = await createBackend().open({ taskId: 'fixed' });
        const made = await sandbox.run(`mkdir /fixed && bash -c '${mountAndRun}' /fixed true`);
        expect(made).toMatchObject({ kind: 'exited', exitCode: 0 });
        expect(await probeReadOnly(sandbox, '/fixed', hostFile)).toEqual(readOnlyAnswers);
      },
      patience,
    );
  },
  ['modal', 'daytona'],
);
