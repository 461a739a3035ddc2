import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { killerScript } from '../src/remote/killer-script.ts';

/** Shells that sandboxes have; a missing one is left out. */
const shells = [['bash'], ['dash'], ['busybox', 'sh']].filter(([program = '']) =>
  ['/bin', '/usr/bin'].some((folder) => existsSync(join(folder, program))),
);

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-killer-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

/** Starts a script that writes `ready` into the folder once all of its processes have noted their numbers. */
async function start(script: string, environment: Readonly<Record<string, string>>): Promise<readonly number[]> {
  spawn('bash', ['-c', script], {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...environment },
    detached: true,
    stdio: 'ignore',
  }).unref();
  while (!existsSync(join(folder, 'ready'))) await new Promise((resolve) => setImmediate(resolve));
  return (await readFile(join(folder, 'pids'), 'utf8')).split('\n').filter(Boolean).map(Number);
}

function kill([program = '', ...words]: readonly string[], args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...words, '-c', killerScript, 'talaria', ...args], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    child.once('error', reject).once('close', () => resolve(output.trim()));
  });
}

async function isRunning(pid: number): Promise<boolean> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat !== '' && !/\) [ZX] /.test(stat);
}

const stubborn = `trap '' TERM
echo $$ >>pids
setsid bash -c 'echo $$ >>pids; trap "" TERM; (setsid bash -c "echo \\$\\$ >>pids; sleep 600" &); while :; do sleep 1; done' &
until [ "$(wc -l <pids)" = 3 ]; do sleep 0.02; done
touch ready
while :; do sleep 1; done`;

const isLinux = process.platform === 'linux';

(isLinux ? describe : describe.skip)('the killer (Linux: it reads /proc)', () => {
  test.each(shells)('ends a tree that ignores SIGTERM and leaves its session, under %s', async (...shell) => {
    const execId = `killer-test-${shell[0]}`;
    const pids = await start(stubborn, { TALARIA_EXEC_ID: execId });
    expect(pids).toHaveLength(3);
    expect(await kill(shell, ['100', 'exec', execId])).toBe('');
    for (const pid of pids) expect(await isRunning(pid)).toBe(false);
  });

  test.each(shells)(
    'finds children without the mark, by their parent and their session, under %s',
    async (...shell) => {
      const execId = `killer-bare-${shell[0]}`;
      const script = `echo $$ >>pids
env -i bash -c 'echo $$ >>pids; sleep 600' &
env -i bash -c '(env -i bash -c "echo \\$\\$ >>pids; sleep 600" &)'
until [ "$(wc -l <pids)" = 3 ]; do sleep 0.02; done
touch ready; sleep 600`;
      const pids = await start(script, { TALARIA_EXEC_ID: execId });
      expect(await kill(shell, ['100', 'exec', execId])).toBe('');
      for (const pid of pids) expect(await isRunning(pid)).toBe(false);
    },
  );

  test('ends all of a sandbox, and nothing of another', async () => {
    const script = 'echo $$ >>pids; touch ready; exec sleep 600';
    const [mine = 0] = await start(script, { TALARIA_SANDBOX_ID: 'killer-sandbox-mine' });
    await rm(join(folder, 'ready'));
    await rm(join(folder, 'pids'));
    const [other = 0] = await start(script, { TALARIA_SANDBOX_ID: 'killer-sandbox-other' });
    await kill(['sh'], ['100', 'sandbox', 'killer-sandbox-mine', '-']);
    expect([await isRunning(mine), await isRunning(other)]).toEqual([false, true]);
    await kill(['sh'], ['100', 'sandbox', 'killer-sandbox-other', '-']);
    expect(await isRunning(other)).toBe(false);
  });

  test('does nothing where nothing bears the mark', async () => {
    expect(await kill(['sh'], ['100', 'exec', 'killer-test-of-nothing'])).toBe('');
  });
});
