import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { SandboxError, silentLogger, systemClock } from '@talaria/core';
import { createKiller } from '../src/remote/killer.ts';
import type { SandboxTransport } from '../src/remote/transport.ts';

const target = { mode: 'exec', execId: 'e' } as const;

/** What the killer's script does, one after another. */
type Attempt = { readonly output: string; readonly exitCode: number } | { readonly code: `sandbox.${string}` };

describe('a killer that cannot do its work from inside', () => {
  let calls: string[];

  beforeEach(() => {
    calls = [];
  });

  function createTransport(attempts: readonly Attempt[], rescues: Partial<SandboxTransport>): SandboxTransport {
    const remaining = [...attempts];
    return {
      kind: 'docker',
      isInteractive: true,
      hasPty: false,
      isAlive: async () => true,
      async start() {
        calls.push('attempt');
        const next = remaining.shift();
        if (next === undefined || 'code' in next) {
          const code = next?.code ?? 'sandbox.failed';
          throw new SandboxError('no', { backend: 'docker', code, phase: 'exec', started: false });
        }
        const stdout = new PassThrough();
        stdout.end(next.output);
        return { stdin: null, stdout, stderr: null, exited: Promise.resolve(next.exitCode), close: () => undefined };
      },
      ...rescues,
    };
  }

  const rescues: Partial<SandboxTransport> = {
    async makeRoom() {
      calls.push('room');
      return {
        async [Symbol.asyncDispose]() {
          calls.push('no more room');
        },
      };
    },
    async endEverything() {
      calls.push('all');
    },
  };

  async function endWith(attempts: readonly Attempt[], given = rescues): Promise<readonly number[] | null> {
    const onAllEnded = (): void => void calls.push('told');
    const tools = { clock: systemClock, logger: silentLogger, onAllEnded };
    return await createKiller(createTransport(attempts, given), tools).end(target, 0);
  }

  test('asks for nothing where all went well', async () => {
    expect(await endWith([{ output: '', exitCode: 0 }])).toEqual([]);
    expect(calls).toEqual(['attempt']);
  });

  test('tries again with room, and gives it back', async () => {
    expect(await endWith([{ code: 'sandbox.failed' }, { output: '', exitCode: 0 }])).toEqual([]);
    expect(calls).toEqual(['attempt', 'room', 'attempt', 'no more room']);
  });

  test('takes a script that gave up in the middle for one that did not run', async () => {
    expect(
      await endWith([
        { output: '', exitCode: 2 },
        { output: '', exitCode: 0 },
      ]),
    ).toEqual([]);
    expect(calls).toEqual(['attempt', 'room', 'attempt', 'no more room']);
  });

  test.each([
    ['survive', [{ output: '7 8', exitCode: 0 }], ['attempt', 'all', 'told', 'attempt']],
    [
      'cannot be reached',
      [{ code: 'sandbox.failed' }, { code: 'sandbox.failed' }],
      ['attempt', 'room', 'attempt', 'no more room', 'all', 'told', 'attempt'],
    ],
  ] as const)('ends everything from outside where processes %s, and looks again', async (_what, attempts, expected) => {
    expect(await endWith([...attempts, { output: '', exitCode: 0 }])).toEqual([]);
    expect(calls).toEqual(expected);
    expect(await endWith([...attempts, { output: '9', exitCode: 0 }])).toEqual([9]);
  });

  test('does nothing to a sandbox that is gone', async () => {
    expect(await endWith([{ code: 'sandbox.lost' }])).toBeNull();
    expect(calls).toEqual(['attempt']);
  });

  test('tells of survivors where nothing else can be done', async () => {
    expect(await endWith([{ output: '7 8', exitCode: 0 }], {})).toEqual([7, 8]);
    expect(await endWith([], {})).toBeNull();
    const failing = { ...rescues, endEverything: () => Promise.reject(new Error('no')) };
    expect(await endWith([{ output: '7', exitCode: 0 }], failing)).toBeNull();
  });
});
