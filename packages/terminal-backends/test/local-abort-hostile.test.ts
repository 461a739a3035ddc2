import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Sandbox, TerminalBackend } from '../src/index.ts';
import { createLocalBackend } from '../src/local/index.ts';
import { abortOperations, expectAborted, prepareSandbox } from './abort-operations.ts';
import { processesWith, until } from './fixtures/ssh-server.ts';

const patience = 120_000;
/** Turns of the event loop until the abort: near the start each one, later fewer and fewer. */
const turns = [0, 1, 2, 3, 5, 8, 14, 40, 150];

let host: string;
let backend: TerminalBackend;

beforeAll(async () => {
  host = await mkdtemp(join(tmpdir(), 'talaria-turns-'));
  await mkdir(join(host, 'tree/deep'), { recursive: true });
  await writeFile(join(host, 'tree/file'), Buffer.alloc(2_000_000, 'x'));
  await writeFile(join(host, 'tree/deep/small'), 'y');
  backend = createLocalBackend({ stateFolder: join(host, 'state'), environment: process.env, killGraceMs: 50 });
});

afterAll(async () => {
  const left = await readdir(join(host, 'state/sandboxes'));
  await rm(host, { recursive: true });
  expect(left).toEqual([]);
});

async function afterTurns(count: number, abort: () => void): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await nextTurn();
  abort();
}

async function expectNothingRuns(sandbox: Sandbox): Promise<void> {
  const running = async () => await processesWith(`TALARIA_SANDBOX_ID=${sandbox.id}`);
  await until(async () => (await running()).length === 0, `nothing of ${sandbox.id} runs`);
}

/** Starts a command that fights back; in an object, since a promise of a promise would wait for its end. */
async function startStubborn(sandbox: Sandbox, signal: AbortSignal): Promise<{ readonly outcome: Promise<unknown> }> {
  const command = `trap '' TERM; setsid sleep 600 & echo > ~/ready; sleep 600`;
  const outcome = sandbox.run(command, { signal }).then(
    ({ kind }) => kind,
    (error: unknown) => error,
  );
  const isReady = async () => (await readFile(join(sandbox.home, 'ready'), 'utf8').catch(() => '')) !== '';
  await until(isReady, 'the command runs');
  return { outcome };
}

(process.platform === 'linux' ? describe : describe.skip)('an abort at any moment, in a local sandbox', () => {
  test.each(Object.entries(abortOperations))(
    'ends %s with the reason, leaves nothing, and the sandbox goes on',
    async (name, operate) => {
      const startsProcesses = /^(?:run|spawn)/.test(name);
      await using sandbox = await backend.open({ taskId: 'abort' });
      await prepareSandbox(sandbox, host);
      for (const count of turns) {
        const controller = new AbortController();
        const reason = new Error(`stop after ${count}`);
        const working = expectAborted(operate(sandbox, controller.signal, host), reason);
        await Promise.all([working, afterTurns(count, () => controller.abort(reason))]);
        const hasEnded = (await working) === 'done';
        // What a command that was done before leaves in the background lives on.
        if (startsProcesses && hasEnded) await sandbox.killAll();
        if (startsProcesses) await expectNothingRuns(sandbox);
        const left = [...(await readdir(sandbox.home)), ...(await readdir(host))];
        expect(left.filter((name) => name.includes('.talaria-'))).toEqual([]);
      }
      expect((await sandbox.run('echo on')).output).toBe('on\n');
    },
    patience,
  );

  test(
    'of a command leaves killAll as it is, and killAll the sandbox',
    async () => {
      await using sandbox = await backend.open({ taskId: 'abort' });
      for (const count of turns) {
        await sandbox.remove('~/ready');
        const controller = new AbortController();
        const { outcome } = await startStubborn(sandbox, controller.signal);
        await Promise.all([sandbox.killAll(), afterTurns(count, () => controller.abort(new Error('stop')))]);
        expect(await outcome).toMatch(/^(?:exited|interrupted)$/);
        await expectNothingRuns(sandbox);
      }
      expect((await sandbox.run('echo on')).output).toBe('on\n');
    },
    patience,
  );

  test(
    'of a command leaves the disposal as it is, which is done once',
    async () => {
      for (const count of turns) {
        const sandbox = await backend.open({ taskId: 'abort' });
        const controller = new AbortController();
        const { outcome } = await startStubborn(sandbox, controller.signal);
        const dispose = () => sandbox[Symbol.asyncDispose]();
        await Promise.all([dispose(), dispose(), afterTurns(count, () => controller.abort(new Error('stop')))]);
        const result = await outcome;
        if (result !== 'interrupted') expect(result).toMatchObject({ code: 'sandbox.closed' });
        await expectNothingRuns(sandbox);
        expect(await readdir(join(host, 'state/sandboxes'))).toEqual([]);
      }
    },
    patience,
  );
});
