import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeCarelessEnvironment, writeEndlessEnvironment } from './environments.ts';
import { findProcesses, startTalaria, whenTold } from './talaria-process.ts';

let cwd: string;

beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'talaria-stop-'));
});

afterEach(() => rm(cwd, { recursive: true, force: true }));

/** Starts a run that never ends by itself, and waits until both of its rollouts are where they never end. */
async function startEndless(what: 'command' | 'reward', ...flags: readonly string[]) {
  const file = await writeEndlessEnvironment(cwd, what);
  const marks = join(cwd, 'marks.txt');
  const child = startTalaria(['run', file, '--json', '--terminal.env_passthrough', 'TEST_MARKS', ...flags], {
    cwd,
    variables: { TEST_MARKS: marks },
  });
  await whenWritten(marks, `${what}-began`, 2);
  // In an object, since a child itself would be awaited to its end.
  return { child };
}

/** The commands of a sandbox tell where they are by lines of a file. */
async function whenWritten(path: string, line: string, count: number): Promise<void> {
  for (;;) {
    const text = await readFile(path, 'utf8').catch(() => '');
    if (text.split('\n').filter((candidate) => candidate === line).length >= count) return;
    await sleep(20);
  }
}

async function expectNothingLeft(): Promise<void> {
  expect(await readdir(join(cwd, 'state', 'sandboxes'))).toEqual([]);
  expect(await findProcesses(join(cwd, 'state'))).toEqual([]);
}

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)('%s once ends commands and cleans up', async (signal) => {
  const { child } = await startEndless('command');
  expect(await findProcesses(join(cwd, 'state'))).not.toEqual([]);
  child.kill(signal);
  const { exitCode, stdout, stderr } = await child;
  expect([exitCode, JSON.parse(stdout)]).toEqual([130, expect.objectContaining({ reason: 'interrupted' })]);
  expect(stderr).toContain(`${signal}: starting nothing new`);
  await expectNothingLeft();
});

test('SIGINT twice cuts off what the first left to finish', async () => {
  const { child } = await startEndless('reward');
  const isDraining = whenTold(child, 'SIGINT: starting nothing new');
  child.kill('SIGINT');
  await isDraining;
  expect(child.nodeChildProcess.exitCode).toBeNull();
  child.kill('SIGINT');
  const { exitCode, stdout, stderr } = await child;
  expect([exitCode, JSON.parse(stdout)]).toEqual([130, expect.objectContaining({ reason: 'interrupted' })]);
  expect(stderr).toContain('cutting off what runs');
  await expectNothingLeft();
});

test('SIGINT three times ends at once, names what is left, and the next run removes it', async () => {
  const { child } = await startEndless('reward');
  for (const told of ['starting nothing new', 'cutting off what runs']) {
    const isTold = whenTold(child, told);
    child.kill('SIGINT');
    await isTold;
  }
  child.kill('SIGINT');
  expect((await child).exitCode).toBe(130);
  const next = await startTalaria(['run', 'terminal-test', '--steps', '1'], { cwd });
  expect(next.exitCode).toBe(0);
  await expectNothingLeft();
});

test('an error that nobody waits for ends the run with 1, and cleans up', async () => {
  const file = await writeCarelessEnvironment(cwd);
  const { exitCode, stdout, stderr } = await startTalaria(['run', file, '--json'], { cwd });
  expect([exitCode, JSON.parse(stdout)]).toEqual([1, expect.objectContaining({ reason: 'failed' })]);
  expect(stderr).toMatch(/error: nobody waits for this\n/);
  await expectNothingLeft();
});
