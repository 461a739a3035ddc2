import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { endBackgroundProcess, startInBackground } from './background-process.ts';

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'talaria-background-'));
});

afterEach(async () => {
  await endBackgroundProcess(folder);
  await rm(folder, { recursive: true });
});

/** Starts a program of one line of JavaScript; it is known by the folder among its arguments. */
function start(code: string): Promise<void> {
  return startInBackground({
    file: process.execPath,
    args: ['-e', code, folder],
    folder,
    isReady: async () => existsSync(join(folder, 'ready')),
    readyTimeoutMs: 20_000,
    hint: 'what to do',
  });
}

const becomeReady = `require('fs').writeFileSync(process.argv[1] + '/ready', String(process.pid));`;
const stay = 'setInterval(() => {}, 1e6);';

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

test('what was started runs on until it is ended, once', async () => {
  await start(becomeReady + stay);
  const processId = Number(await readFile(join(folder, 'ready'), 'utf8'));
  expect(isRunning(processId)).toBe(true);
  expect(await endBackgroundProcess(folder)).toBe(true);
  expect(isRunning(processId)).toBe(false);
  expect(await endBackgroundProcess(folder)).toBe(false);
});

test('a program that ends early is told of with the end of its log and the hint', async () => {
  await expect(start(`console.error('no socket'); process.exit(3);`)).rejects.toMatchObject({
    message: expect.stringMatching(/ended with 3; its log, .*output\.log, ends:\n {4}no socket$/),
    hint: 'what to do',
  });
  expect(await endBackgroundProcess(folder)).toBe(false);
});

test('a program that cannot be started is told of', async () => {
  const started = startInBackground({
    file: join(folder, 'missing'),
    args: [],
    folder,
    isReady: async () => false,
    readyTimeoutMs: 20_000,
    hint: '',
  });
  await expect(started).rejects.toMatchObject({ message: expect.stringContaining('did not start: spawn') });
});

test('a program that never gets ready is ended', async () => {
  let processId = 0;
  const started = startInBackground({
    file: process.execPath,
    args: ['-e', stay, folder],
    folder,
    isReady: async () => {
      processId = Number(await readFile(join(folder, 'process-id'), 'utf8'));
      return false;
    },
    readyTimeoutMs: 200,
    hint: '',
  });
  await expect(started).rejects.toMatchObject({ message: expect.stringContaining('was not ready within 0.2 s') });
  expect(processId).toBeGreaterThan(1);
  expect(isRunning(processId)).toBe(false);
});

test('a process that only has the number of ours is left alone', async () => {
  const other = spawn(process.execPath, ['-e', stay], { stdio: 'ignore' });
  try {
    await writeFile(join(folder, 'process-id'), `${other.pid}\n`);
    expect(await endBackgroundProcess(folder)).toBe(false);
    expect(isRunning(other.pid ?? 0)).toBe(true);
  } finally {
    other.kill();
    await new Promise((resolve) => other.on('exit', resolve));
  }
});

test.each(['', 'x', '-1', '0', '1'])('a record that holds %j ends nothing', async (text) => {
  await writeFile(join(folder, 'process-id'), text);
  expect(await endBackgroundProcess(folder)).toBe(false);
});
